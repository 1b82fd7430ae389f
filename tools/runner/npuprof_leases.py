"""Device leases: flock'ed files in one directory that all users of the host share, and a queue of numbered tickets.

A lease is held for as long as its file is locked, so the kernel gives it back when the last holder is gone. What is
written in the file names the holder; it proves nothing by itself. The runner inherits the lock, so a device whose
supervisor was killed stays taken until the workload is gone too.
"""

import fcntl
import json
import os
import pwd
import re
import time

import npuprof_processes as processes

POLL_S = 0.2
TICKET = re.compile(r"^ticket\.(\d{10})$")


class Unavailable(Exception):
    """The lease directory can't be used."""


class Busy(Exception):
    def __init__(self, key, holder):
        super().__init__("device %s is held by %s" % (key, describe(holder)))
        self.key = key
        self.holder = holder


def describe(holder):
    if holder.get("run_id"):
        return "run %s (pid %s, user %s)" % (holder["run_id"], holder.get("pid"), holder.get("user"))
    return "a holder that left no name"


def open_shared(path, create=True):
    """A file that every user may lock. Never through a link, and never O_CREAT on one that exists: in a sticky
    directory the kernel refuses that for files of other users."""
    for _ in range(10):
        try:
            return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            if not create:
                raise
        except PermissionError:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(descriptor, 0o666)
            return descriptor
        except FileExistsError:
            continue
    raise OSError("can't open %s" % path)


def try_lock(descriptor):
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def read_holder(descriptor):
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0).decode("utf-8", "replace"))
        return holder if isinstance(holder, dict) else {}
    except (OSError, ValueError):
        return {}


def write_holder(descriptor, holder):
    try:
        os.ftruncate(descriptor, 0)
        if holder:
            os.pwrite(descriptor, json.dumps(holder).encode(), 0)
    except OSError:  # opened read-only: the lock still holds
        pass


def user_name():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


class Leases:
    """The leases of one run: all of `keys` or none."""

    def __init__(self, directory, keys, run_id):
        self.directory = directory
        self.keys = sorted(set(keys))
        self.run_id = run_id
        self.held = {}
        self.ticket = None
        self.stale = []  # holders that were gone without giving back
        for key in self.keys:
            if not re.match(r"^[A-Za-z0-9][A-Za-z0-9._-]*$", key):
                raise Unavailable("no name for a lease: %r" % key)
        self._make_directory()

    def acquire(self, wait_s, go_on=lambda: True, sleep=time.sleep):
        """Takes all leases; waits in the queue up to wait_s. Raises Busy. False where go_on() told to give up."""
        until = time.monotonic() + wait_s
        try:
            while True:
                busy = self._try()
                if not busy:
                    return True
                if time.monotonic() >= until:
                    raise busy
                if not go_on():
                    return False
                if self.ticket is None:
                    self._take_ticket()
                    continue
                sleep(min(POLL_S, max(0.01, until - time.monotonic())))
        finally:
            self._drop_ticket()

    def descriptors(self):
        return list(self.held.values())

    def release(self):
        for descriptor in self.held.values():
            write_holder(descriptor, None)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # for every process that inherited it
            except OSError:
                pass
            os.close(descriptor)
        self.held = {}

    def _make_directory(self):
        try:
            os.makedirs(self.directory, exist_ok=True)
            if os.stat(self.directory).st_uid == os.getuid():
                os.chmod(self.directory, 0o1777)
            with self._mutex():
                pass
        except OSError as error:
            raise Unavailable("lease directory %s: %s" % (self.directory, error.strerror or error))

    def _mutex(self):
        descriptor = open_shared(os.path.join(self.directory, "mutex"))
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return os.fdopen(descriptor, "rb")

    def _try(self):
        """Takes everything and returns None, or takes nothing and returns Busy."""
        taken = {}
        with self._mutex():
            busy = self._earlier_ticket()
            for key in self.keys:
                if busy:
                    break
                try:
                    descriptor = open_shared(os.path.join(self.directory, key + ".lock"))
                except OSError as error:
                    raise Unavailable("lease of %s: %s" % (key, error.strerror or error))
                holder = read_holder(descriptor)
                orphans = holder.get("run_id") and holder["run_id"] != self.run_id and orphaned(holder["run_id"])
                if not orphans and try_lock(descriptor):
                    taken[key] = descriptor
                    if holder:
                        self.stale.append(holder)
                else:
                    os.close(descriptor)
                    busy = Busy(key, holder)
            if busy:
                for descriptor in taken.values():
                    os.close(descriptor)
                return busy
            me = dict(processes.identity(os.getpid()), run_id=self.run_id, user=user_name(), since=time.time())
            for descriptor in taken.values():
                write_holder(descriptor, me)
            self.held = taken
        return None

    def _earlier_ticket(self):
        """Busy where someone who came before waits for one of our devices."""
        mine = self.ticket[0] if self.ticket else None
        for number, path in self._tickets():
            if mine is not None and number >= mine:
                break
            try:
                descriptor = open_shared(path, create=False)
            except OSError:
                continue
            try:
                if try_lock(descriptor):  # whoever waited is gone
                    self._unlink(path)
                    continue
                waiting = read_holder(descriptor)
                shared = set(self.keys) & set(waiting.get("keys", []))
                if shared:
                    return Busy(sorted(shared)[0], waiting)
            finally:
                os.close(descriptor)
        return None

    def _tickets(self):
        found = []
        for name in os.listdir(self.directory):
            match = TICKET.match(name)
            if match:
                found.append((int(match.group(1)), os.path.join(self.directory, name)))
        return sorted(found)

    def _take_ticket(self):
        with self._mutex():
            tickets = self._tickets()
            number = tickets[-1][0] + 1 if tickets else 1
            path = os.path.join(self.directory, "ticket.%010d" % number)
            descriptor = open_shared(path)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            write_holder(descriptor, dict(processes.identity(os.getpid()), run_id=self.run_id, user=user_name(),
                                          keys=self.keys, since=time.time()))
            self.ticket = (number, path, descriptor)

    def _drop_ticket(self):
        if self.ticket:
            self._unlink(self.ticket[1])
            os.close(self.ticket[2])
            self.ticket = None

    @staticmethod
    def _unlink(path):
        try:
            os.unlink(path)
        except OSError:
            pass


def orphaned(run_id):
    """Whether processes of a run are left (of those whose environment this user may read)."""
    return bool(processes.members(run_id))
