"""follow: one process that tells of every run below a directory, over stdin and stdout."""

import json
import os
import select
import sys
import time

import npuprof_processes as processes
import npuprof_records as records

POLL_S = 0.1
ALIVE_S = 1.0
AT_LEAST_S = 10.0
CHUNK = 1 << 18


def say(line):
    data = json.dumps(line).encode() + b"\n"
    while data:
        data = data[os.write(1, data):]


class Followed:
    """One run that is followed: tells its new events, and its status whenever that or the supervisor's life changed."""

    def __init__(self, runs_dir, run_id, from_seq):
        self.run_id = run_id
        self.from_seq = from_seq
        self.directory = os.path.join(runs_dir, run_id)
        self.offset = 0
        self.stamp = None
        self.status = None
        self.alive = None
        self.checked_at = 0.0
        self.told_at = 0.0

    def tell_news(self):
        """False once the run has ended and everything of it was told."""
        # The status first: what it counts is in events.jsonl by now.
        changed = self._read_status()
        self._tell_events()
        now = time.monotonic()
        if changed or now - self.checked_at >= ALIVE_S:
            self.checked_at = now
            alive = bool(self.status) and processes.is_alive(self.status.get("supervisor"))
            changed = changed or alive != self.alive
            self.alive = alive
        if changed or now - self.told_at >= AT_LEAST_S:
            self.told_at = now
            if self.status is None:
                say({"run_id": self.run_id, "missing": not os.path.isdir(self.directory), "alive": False})
            else:
                say({"run_id": self.run_id, "status": self.status, "alive": self.alive})
        return not (self.status and self.status.get("state") in records.FINAL_STATES)

    def _read_status(self):
        path = os.path.join(self.directory, "status.json")
        try:
            found = os.stat(path)
        except OSError:
            return False
        stamp = (found.st_ino, found.st_mtime_ns)
        if stamp == self.stamp:
            return False
        status = records.read_json(path)
        if status is None:
            return False
        self.stamp = stamp
        self.status = status
        return True

    def _tell_events(self):
        path = os.path.join(self.directory, "events.jsonl")
        try:
            if os.stat(path).st_size <= self.offset:
                return
            with open(path, "rb") as file:
                while True:
                    file.seek(self.offset)
                    chunk = file.read(CHUNK)
                    whole = chunk.rfind(b"\n") + 1
                    if not whole:
                        return
                    self.offset += whole
                    for line in chunk[:whole].splitlines():
                        self._tell_event(line)
        except OSError:
            return

    def _tell_event(self, line):
        try:
            event = json.loads(line.decode("utf-8", "replace"))
            if event["seq"] >= self.from_seq:
                say({"run_id": self.run_id, "event": event})
        except (ValueError, KeyError, TypeError):
            pass


def follow(runs_dir):
    """Reads {"run_id": ..., "from_seq": N} lines (the first event wanted is N) until end of input."""
    runs = {}
    pending = b""
    while True:
        readable, _, _ = select.select([0], [], [], POLL_S if runs else None)
        if readable:
            data = os.read(0, 65536)
            if not data:
                return 0
            pending += data
            *lines, pending = pending.split(b"\n")
            for line in lines:
                accept(runs, runs_dir, line)
        for run_id in [run_id for run_id, run in runs.items() if not run.tell_news()]:
            del runs[run_id]


def accept(runs, runs_dir, line):
    try:
        request = json.loads(line.decode())
        run_id = request["run_id"]
        if not isinstance(run_id, str) or "/" in run_id or run_id in ("", ".", ".."):
            raise ValueError(run_id)
        if request.get("stop"):
            runs.pop(run_id, None)
        else:
            runs[run_id] = Followed(runs_dir, run_id, int(request.get("from_seq", 1)))
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.stderr.write("follow: a line that asks for nothing: %r\n" % line[:200])
