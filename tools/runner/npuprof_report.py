"""What the runner tells the supervisor: JSON lines through an inherited pipe. Without one (run by hand) it prints."""

import json
import os
import sys
import threading
import time

_lock = threading.Lock()
_stage = ["start"]


class Failure(Exception):
    """Ends the run with a code that npuprof knows."""

    def __init__(self, code, message, remedy=""):
        super().__init__(message)
        self.code = code
        self.remedy = remedy


def _descriptor():
    value = os.environ.get("NPUPROF_REPORTS", "")
    return int(value) if value.isdigit() else None


def _send(kind, **fields):
    fields = {name: value for name, value in fields.items() if value is not None}
    line = json.dumps(dict(fields, kind=kind, t=time.time()), default=str).encode() + b"\n"
    descriptor = _descriptor()
    with _lock:
        if descriptor is None:
            sys.stderr.write(line.decode())
            return
        try:
            while line:
                line = line[os.write(descriptor, line):]
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
