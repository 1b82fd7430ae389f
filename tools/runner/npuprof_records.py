"""What a run leaves on disk: job.json is read, events.jsonl appended, status.json replaced."""

import json
import os
import time

FORMAT = 1
FINAL_STATES = ("captured", "done", "failed", "cancelled", "timed_out")

# What the runner may report, and the type of each field. The workload shares its process, so nothing else passes.
KINDS = ("stage", "step", "output", "profiler", "evidence", "note", "error")
FIELDS = {
    "t": (int, float), "stage": str, "rank": int, "phase": str, "index": int, "ms": (int, float), "step_id": int,
    "compiles": int, "outputs": list, "problems": list, "peak_memory_mb": (int, float), "state": str, "proof": dict,
    "data": dict, "code": str, "message": str, "remedy": str,
}
STAGES = ("lease", "start", "load", "first_step", "warmup", "window", "flush", "export", "done")
PHASES = ("first", "warmup", "arm", "guard", "active", "after")
EVIDENCE = ("armed", "recording", "flushed", "exported")


def write_atomically(path, text, mode=0o600, durable=True):
    temporary = "%s.%d.tmp" % (path, os.getpid())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    os.replace(temporary, path)


def read_json(path):
    """The document in `path`, or None where there is none or it is not whole."""
    try:
        with open(path, "rb") as file:
            return json.loads(file.read().decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None


def load_job(run_dir):
    """The job of a run directory. Raises ValueError(code, message)."""
    path = os.path.join(run_dir, "job.json")
    job = read_json(path)
    if not isinstance(job, dict):
        raise ValueError("INVALID_ARGUMENTS", "%s is missing or not JSON; nothing ran" % path)
    if job.get("format") != FORMAT:
        raise ValueError("FORMAT_UNKNOWN", "job.json has format %r, this supervisor reads %d; nothing ran"
                         % (job.get("format"), FORMAT))
    for name in ("run_id", "workspace", "profile_dir", "workload", "env", "python", "window", "profiler", "timeout_s",
                 "export_timeout_s", "log_limit_bytes"):
        if name not in job:
            raise ValueError("INVALID_ARGUMENTS", "job.json has no %s; nothing ran" % name)
    return job


def clean_report(report):
    """A report of the runner's with nothing in it but what an event may hold, or None."""
    if not isinstance(report, dict) or report.get("kind") not in KINDS:
        return None
    event = {"kind": report["kind"]}
    for name, types in FIELDS.items():
        value = report.get(name)
        if isinstance(value, types) and not (isinstance(value, bool) and types is not dict):
            event[name] = value
    if event.get("stage", "start") not in STAGES[:-1] or event.get("phase", "first") not in PHASES:
        return None
    if event.get("state", "armed") not in EVIDENCE or event.get("rank", 0) < 0 or event.get("index", 0) < 0:
        return None
    for name in ("code", "message", "remedy"):
        if name in event:
            event[name] = event[name][:4000]
    return event


class Records:
    """Appends events and replaces the status. One writer a run: the supervisor that holds the run's lock."""

    MIN_INTERVAL_S = 0.2  # between two replacements of status.json that no stage or end asks for

    def __init__(self, run_dir, job, supervisor):
        self.status_path = os.path.join(run_dir, "status.json")
        events_path = os.path.join(run_dir, "events.jsonl")
        self.seq = last_seq(events_path)
        descriptor = os.open(events_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.events = os.fdopen(descriptor, "ab", buffering=0)
        if os.fstat(descriptor).st_size and not ends_a_line(events_path):
            self.events.write(b"\n")
        now = time.time()
        self.status = {"format": FORMAT, "run_id": job["run_id"], "state": "running", "stage": "lease",
                       "updated_at": now, "started_at": now, "supervisor": supervisor, "events": self.seq}
        self.written_at = 0.0
        self.stale = False

    def event(self, kind, **fields):
        self.seq += 1
        line = {"format": FORMAT, "seq": self.seq, "t": fields.pop("t", None) or time.time(), "kind": kind}
        line.update(fields)
        try:
            self.events.write(json.dumps(line).encode() + b"\n")
        except OSError:  # a full disk must not end the run's supervision
            self.seq -= 1
        self.status["events"] = self.seq
        self.stale = True

    def stage(self, stage, **fields):
        self.event("stage", stage=stage, **fields)
        self.write_status(stage=stage)

    def write_status(self, durable=True, **fields):
        self.status.update(fields)
        self.status["updated_at"] = time.time()
        try:
            write_atomically(self.status_path, json.dumps(self.status), durable=durable)
            self.stale = False
        except OSError:
            self.stale = True
        self.written_at = time.monotonic()

    def refresh(self):
        """Replaces status.json if something changed and the last time is long enough ago."""
        if self.stale and time.monotonic() - self.written_at >= self.MIN_INTERVAL_S:
            self.write_status(durable=False)

    def end(self, state, stage, error=None):
        self.event("end", end=state)
        fields = {"state": state, "stage": stage, "ended_at": time.time()}
        if error:
            fields["error"] = error
        self.write_status(**fields)


def ends_a_line(path):
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def last_seq(path):
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 262144))
            lines = file.read().split(b"\n")
    except OSError:
        return 0
    for line in reversed(lines):
        try:
            return int(json.loads(line.decode())["seq"])
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            continue
    return 0
