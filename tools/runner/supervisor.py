"""Supervises one run of npuprof on the host where it profiles: starts, watches, bounds and ends everything else.

    supervisor.py start <run_dir>     detaches, prints one JSON line once the run stands on disk
    supervisor.py cancel <run_dir>    ends the run's whole process tree, prints its last status
    supervisor.py follow <runs_dir>   tells of runs over stdin and stdout

Standard library only, Python >= 3.8.
"""

import errno
import fcntl
import json
import os
import signal
import sys
import time

sys.dont_write_bytecode = True

import npuprof_processes as processes  # noqa: E402
import npuprof_records as records  # noqa: E402
from npuprof_supervision import Supervisor  # noqa: E402


def say(document):
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def lock_run(run_dir):
    """The run's lock, held by its supervisor for life; None where another process has it."""
    descriptor = os.open(os.path.join(run_dir, "supervisor.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    except BlockingIOError:
        os.close(descriptor)
        return None


def read_status(run_dir):
    return records.read_json(os.path.join(run_dir, "status.json"))


def start(run_dir):
    try:
        job = records.load_job(run_dir)
    except ValueError as error:
        say({"ok": False, "error": {"code": error.args[0], "message": error.args[1]}})
        return 1
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        os.setsid()
        if os.fork():
            os._exit(0)
        try:
            supervise(run_dir, job, writing)
        finally:
            os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading) as answers:
        answer = answers.readline()
    if not answer:
        say({"ok": False, "error": {"code": "RUNNER_DIED", "message": "the supervisor ended before it stood"}})
        return 1
    sys.stdout.write(answer)
    sys.stdout.flush()
    return 0 if json.loads(answer)["ok"] else 1


def supervise(run_dir, job, answers):
    """The detached process. Answers once on the pipe `answers`; starting a run twice starts it once."""
    detach(keep=answers)
    lock = lock_run(run_dir)
    status = read_status(run_dir)
    if lock is None or status is not None:
        answer(answers, started_before(run_dir))
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    processes.prctl(processes.PR_SET_CHILD_SUBREAPER, 1)
    processes.rename_process("npuprof-super")
    try:
        supervisor = Supervisor(run_dir, job)
        supervisor.records.write_status()
        if read_status(run_dir) is None:
            raise OSError("status.json could not be written")
    except OSError as error:
        answer(answers, {"ok": False, "error": {"code": "NO_SPACE" if error.errno == errno.ENOSPC else "IO_ERROR",
                                                "message": "can't write in %s: %s; nothing ran" % (run_dir, error)}})
        return
    signal.signal(signal.SIGTERM, lambda *_: setattr(supervisor, "stop_asked", True))
    who = supervisor.records.status["supervisor"]
    answer(answers, {"ok": True, "pid": who["pid"], "start_ticks": who["start_ticks"]})
    supervisor.run()


def started_before(run_dir):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        status = read_status(run_dir)
        if status:
            who = status["supervisor"]
            return {"ok": True, "pid": who["pid"], "start_ticks": who["start_ticks"], "again": True}
        time.sleep(0.05)
    return {"ok": False, "error": {"code": "RUNNER_DIED", "message": "another supervisor has %s, but says nothing" % run_dir}}


def answer(descriptor, document):
    try:
        os.write(descriptor, json.dumps(document).encode() + b"\n")
    except OSError:
        pass
    os.close(descriptor)


def detach(keep):
    os.chdir("/")
    os.umask(0o077)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != keep:
            try:
                os.close(int(name))
            except OSError:
                pass


def cancel(run_dir):
    job = records.read_json(os.path.join(run_dir, "job.json"))
    if not isinstance(job, dict) or "run_id" not in job:
        say({"ok": False, "error": {"code": "RUN_UNKNOWN", "message": "no run in %s" % run_dir}})
        return 1
    status = read_status(run_dir)
    if not status or status.get("state") not in records.FINAL_STATES:
        records.write_atomically(os.path.join(run_dir, "cancel.request"), "")
        end_supervisor(run_dir, job, status)
        status = read_status(run_dir)
    processes.end_all(job["run_id"])
    say(status)
    return 0


def end_supervisor(run_dir, job, status, patience_s=60.0):
    """Waits for the supervisor to end the run; does so in its place where it is dead or doesn't."""
    until = time.monotonic() + patience_s
    while True:
        lock = lock_run(run_dir)
        if lock is not None:
            break
        status = read_status(run_dir) or status
        if status and status.get("state") in records.FINAL_STATES:
            return
        who = (status or {}).get("supervisor", {})
        if time.monotonic() > until and processes.is_alive(who):
            processes.send(who["pid"], who["start_ticks"], signal.SIGKILL)
        time.sleep(0.05)
    status = read_status(run_dir)
    if status and status.get("state") in records.FINAL_STATES:
        return
    processes.end_all(job["run_id"])
    last = records.Records(run_dir, job, (status or {}).get("supervisor") or processes.identity(os.getpid()))
    stage = (status or {}).get("stage", "lease")
    last.status.update({name: value for name, value in (status or {}).items() if name in ("started_at", "step", "of")})
    message = "the run was cancelled; its supervisor was gone" if status else "the run was cancelled before it started"
    last.event("error", code="CANCELLED", message=message)
    last.end("cancelled", stage, {"code": "CANCELLED", "message": message})


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("start", "cancel", "follow"):
        sys.stderr.write(__doc__)
        return 2
    command, directory = arguments[0], os.path.abspath(arguments[1])
    if command == "start":
        return start(directory)
    if command == "cancel":
        return cancel(directory)
    from npuprof_follow import follow
    return follow(directory)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
