"""Processes of a run, seen through /proc: who is alive, who belongs to the run, and how to end them all."""

import ctypes
import os
import signal
import time

RUN_ID_VARIABLE = "NPUPROF_RUN_ID"
PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36


def prctl(option, argument):
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if isinstance(argument, bytes):
            return libc.prctl(option, ctypes.c_char_p(argument), 0, 0, 0) == 0
        return libc.prctl(option, ctypes.c_ulong(argument), 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def rename_process(title):
    """Gives the process another name in ps and pkill, so that a workload's `pkill python` misses it."""
    prctl(PR_SET_NAME, title.encode()[:15])
    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, fields 48 and 49
        with open("/proc/self/cmdline", "rb") as file:
            length = len(file.read())
        if 0 < length == end - start < 65536:
            text = title.encode()[:length - 1]
            ctypes.memset(start, 0, length)
            ctypes.memmove(start, text, len(text))
    except (OSError, ValueError, IndexError):
        pass


def stat_of(pid):
    """(state, parent, start time in ticks) of a process, or None where there is none."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[1]), int(fields[19])
    except (OSError, ValueError, IndexError):
        return None


def start_ticks(pid):
    found = stat_of(pid)
    return found[2] if found else 0


def boot_id():
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""


def identity(pid):
    return {"pid": pid, "start_ticks": start_ticks(pid), "boot_id": boot_id()}


def is_alive(who):
    """Whether the process noted as {pid, start_ticks, boot_id} still runs: not a zombie, and started then."""
    if not isinstance(who, dict) or not isinstance(who.get("pid"), int):
        return False
    if who.get("boot_id") and who["boot_id"] != boot_id():
        return False
    found = stat_of(who["pid"])
    return bool(found) and found[0] not in ("Z", "X", "x") and found[2] == who.get("start_ticks")


def carries(pid, run_id):
    try:
        with open("/proc/%d/environ" % pid, "rb") as file:
            environment = file.read()
    except OSError:
        return False
    return ("%s=%s" % (RUN_ID_VARIABLE, run_id)).encode() in environment.split(b"\0")


def all_processes():
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = stat_of(int(name))
            if stat:
                found[int(name)] = stat
    return found


def members(run_id, root=None):
    """{pid: start ticks} of the live processes of a run: descendants of `root`, and all that carry the run's id."""
    processes = all_processes()
    children = {}
    for pid, (_, parent, _) in processes.items():
        children.setdefault(parent, []).append(pid)
    found = set()
    pending = list(children.get(root, [])) if root else []
    while pending:
        pid = pending.pop()
        if pid not in found:
            found.add(pid)
            pending.extend(children.get(pid, []))
    for pid in processes:
        if pid not in found and carries(pid, run_id):
            found.add(pid)
    found -= {os.getpid(), root}
    return {pid: processes[pid][2] for pid in found if processes[pid][0] not in ("Z", "X", "x")}


def send(pid, ticks, number):
    if start_ticks(pid) == ticks:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def end_all(run_id, root=None, grace_s=5.0, limit_s=30.0, pause=time.sleep):
    """Ends every process of the run: TERM, after grace_s KILL, until none is left. Returns those that would not go."""
    begun = time.monotonic()
    told = set()
    while True:
        left = members(run_id, root)
        if not left:
            return {}
        waited = time.monotonic() - begun
        if waited > limit_s:
            return left
        for pid, ticks in left.items():
            if waited >= grace_s:
                send(pid, ticks, signal.SIGKILL)
            elif (pid, ticks) not in told:
                told.add((pid, ticks))
                send(pid, ticks, signal.SIGTERM)
                send(pid, ticks, signal.SIGCONT)
        pause(0.05)


SHARED_MEMORY = "/dev/shm"
PROFILERS_OWN = "DynamicProfileNpuShm"


def clean_shared_memory(since):
    """Removes what torch_npu's profiler leaves in /dev/shm when it is killed: only this user's, made after `since` and
    used by no living process. Returns the names."""
    removed = []
    try:
        names = [name for name in os.listdir(SHARED_MEMORY) if name.startswith(PROFILERS_OWN)]
    except OSError:
        return removed
    for name in names:
        path = os.path.join(SHARED_MEMORY, name)
        try:
            found = os.lstat(path)
            if found.st_uid == os.getuid() and found.st_ctime >= since and not in_use(path):
                os.unlink(path)
                removed.append(name)
        except OSError:
            continue
    return removed


def in_use(path):
    """Whether a process that this user may look into maps or opens a file."""
    for pid in all_processes():
        try:
            with open("/proc/%d/maps" % pid) as file:
                if path in file.read():
                    return True
            for name in os.listdir("/proc/%d/fd" % pid):
                if os.readlink("/proc/%d/fd/%s" % (pid, name)) == path:
                    return True
        except OSError:
            continue
    return False
