"""What the runner tells the supervisor: JSON lines through a named pipe in the run's directory, so that processes which
inherit nothing (spawned workers) can report too. Without one (run by hand) it prints."""

import fcntl
import json
import os
import sys
import threading
import time

PIPE = "NPUPROF_REPORTS"  # names the pipe

_lock = threading.Lock()
_stage = ["start"]
_opened = {}  # process id -> descriptor: a lock of its own for every process, also after a fork


class Failure(Exception):
    """Ends the run with a code that npuprof knows."""

    def __init__(self, code, message, remedy=""):
        super().__init__(message)
        self.code = code
        self.remedy = remedy


def _descriptor():
    pid = os.getpid()
    if pid not in _opened:
        path = os.environ.get(PIPE, "")
        try:
            _opened[pid] = os.open(path, os.O_WRONLY | os.O_CLOEXEC) if path else None
        except OSError:
            _opened[pid] = None
    return _opened[pid]


def _rank():
    value = os.environ.get("RANK", "")
    return int(value) if value.isdigit() else None


def _send(kind, **fields):
    fields = {name: value for name, value in dict(fields, rank=_rank()).items() if value is not None}
    line = json.dumps(dict(fields, kind=kind, t=time.time()), default=str).encode() + b"\n"
    with _lock:
        descriptor = _descriptor()
        if descriptor is None:
            sys.stderr.write(line.decode())
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # lines longer than the pipe takes at once must not mix
            try:
                while line:
                    line = line[os.write(descriptor, line):]
            finally:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError:  # the supervisor is gone; it is not for the workload to die of that
            pass


def stage(name, **fields):
    _stage[0] = name
    _send("stage", stage=name, **fields)


def stage_now():
    return _stage[0]


def step(phase, index, ms, step_id=None, **fields):
    _send("step", phase=phase, index=index, ms=round(ms, 3), step_id=step_id, **fields)


def output(outputs, problems, **fields):
    _send("output", outputs=outputs, problems=problems, **fields)


def profiler(data, **fields):
    _send("profiler", data=data, **fields)


def evidence(state, proof, **fields):
    _send("evidence", state=state, proof=proof, **fields)


def note(code, message, data=None):
    _send("note", code=code, message=message, data=data)


def error(code, message, remedy=""):
    _send("error", code=code, message=message, remedy=remedy or None)
