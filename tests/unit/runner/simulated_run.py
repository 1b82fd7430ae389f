"""A run on the simulated Ascend host, in a scratch directory: what npuprof does on a host, without npuprof."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import schema_check

PROJECT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PYTHON_FILES = os.path.join(PROJECT, "tools", "runner")
SIMULATED = os.path.join(PROJECT, "examples", "simulated_host")
PYTHON = sys.executable
FINAL = ("captured", "done", "failed", "cancelled", "timed_out")
PATIENCE_S = 60

sys.dont_write_bytecode = True
sys.path.insert(0, PYTHON_FILES)


class RunCase(unittest.TestCase):
    """Each test has a workspace of its own; nothing of it is left at the end, no process either."""

    def setUp(self):
        self.scratch = os.path.realpath(tempfile.mkdtemp(prefix="npuprof_test_"))
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)
        self.workspace = os.path.join(self.scratch, "workspace")
        self.leases = os.path.join(self.scratch, "leases")
        shutil.copytree(os.path.join(SIMULATED, "workspace"), self.workspace)
        self.runs_dir = os.path.join(self.workspace, ".npuprof", "runs")
        self.runs = []

    def tearDown(self):
        for run in self.runs:
            run.kill_everything()

    def write(self, name, text):
        path = os.path.join(self.workspace, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_of(self, name="run_1", faults="", **changes):
        run = Run(self, name, faults, changes)
        self.runs.append(run)
        return run

    def finished(self, *arguments, **changes):
        """A run, started and waited for."""
        run = self.run_of(*arguments, **changes)
        run.start()
        run.wait()
        return run


class Run:
    def __init__(self, case, run_id, faults, changes):
        self.case = case
        self.run_id = "%s-%s" % (run_id, os.path.basename(case.scratch))  # unlike that of any other process here
        self.directory = os.path.join(case.runs_dir, self.run_id)
        os.makedirs(self.directory, 0o700)
        for name in os.listdir(PYTHON_FILES):
            if name.endswith(".py"):
                shutil.copy(os.path.join(PYTHON_FILES, name), self.directory)
        workload = {"way": "entry", "entry": "denoise.py:build", "args": [], "params": {}}
        if "script" in changes:
            workload = {"way": "script", "script": os.path.join(case.workspace, changes.pop("script")), "args": [],
                        "params": {}}
        workload.update(changes.pop("workload", {}))
        window = dict({"warmup_steps": 2, "guard_steps": 1, "active_steps": 5}, **changes.pop("window", {}))
        profiler = dict({"level": "l1", "aic_metrics": "PipeUtilization", "activities": ["npu"], "with_stack": True,
                         "record_shapes": True, "profile_memory": True}, **changes.pop("profiler", {}))
        env = dict(changes.pop("env", {}))
        if faults:
            env["SIMULATED_NPU_FAULTS"] = faults
        self.job = {
            "format": 1, "run_id": self.run_id, "created_at": "2026-12-01T12:00:00Z", "workspace": case.workspace,
            "run_dir": self.directory, "profile_dir": os.path.join(self.directory, "profile_l1"), "workload": workload,
            "env": env, "python": PYTHON, "device_ids": [0], "backend": "npu", "compile": False, "nproc_per_node": 1,
            "ranks": [0], "window": window, "profiler": profiler, "timeout_s": 60, "export_timeout_s": 60,
            "lease": {"dir": case.leases, "keys": ["0000_C1_00.0"], "wait_s": 0}, "log_limit_bytes": 65536,
        }
        self.job.update(changes)
        case.assertEqual([], schema_check.problems(self.job, schema_check.load("job")))
        with open(os.path.join(self.directory, "job.json"), "w") as file:
            json.dump(self.job, file)

    def supervisor(self, command, directory=None):
        line = 'exec "$2" "$3/supervisor.py" "$4" "$5"'
        if self.job["backend"] == "npu":
            line = '. "$1/set_env.sh"; ' + line
        return ["sh", "-c", line, "sh", SIMULATED, PYTHON, self.directory, command, directory or self.directory]

    def start(self):
        answer = subprocess.run(self.supervisor("start"), stdout=subprocess.PIPE, timeout=PATIENCE_S)
        self.answer = json.loads(answer.stdout.decode())
        return self.answer

    def cancel(self):
        answer = subprocess.run(self.supervisor("cancel"), stdout=subprocess.PIPE, timeout=PATIENCE_S)
        return json.loads(answer.stdout.decode())

    def status(self):
        try:
            with open(os.path.join(self.directory, "status.json")) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def events(self, kind=None):
        with open(os.path.join(self.directory, "events.jsonl")) as file:
            events = [json.loads(line) for line in file]
        return [event for event in events if kind in (None, event["kind"])]

    def log(self):
        with open(os.path.join(self.directory, "stdout.log"), "rb") as file:
            return file.read()

    def until(self, condition, what):
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > limit:
                self.case.fail("%s has not come; status %s" % (what, self.status()))
            time.sleep(0.02)

    def until_event(self, **fields):
        def seen():
            return any(all(event.get(name) == value for name, value in fields.items()) for event in self.events())
        self.until(lambda: os.path.exists(os.path.join(self.directory, "events.jsonl")) and seen(), fields)

    def wait(self):
        """Until the run has ended and its supervisor is gone; then everything it wrote is checked."""
        self.until(lambda: (self.status() or {}).get("state") in FINAL, "the end")
        self.until(lambda: not self.processes() and not self.supervisor_lives(), "the end of the processes")
        self.check_formats()
        return self.status()

    def supervisor_lives(self):
        import npuprof_processes
        return npuprof_processes.is_alive((self.status() or {}).get("supervisor"))

    def check_formats(self):
        event_schema = schema_check.load("event")
        events = self.events()
        for event in events:
            self.case.assertEqual([], schema_check.problems(event, event_schema), event)
        self.case.assertEqual(list(range(1, len(events) + 1)), [event["seq"] for event in events])
        self.case.assertEqual("end", events[-1]["kind"])
        status = self.status()
        self.case.assertEqual([], schema_check.problems(status, schema_check.load("status")))
        self.case.assertEqual(len(events), status["events"])
        self.case.assertEqual(events[-1]["end"], status["state"])

    def processes(self):
        import npuprof_processes
        return npuprof_processes.members(self.run_id)

    def kill_everything(self):
        who = (self.status() or {}).get("supervisor")
        if who and self.supervisor_lives():
            os.kill(who["pid"], signal.SIGKILL)
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def profile_folder(self):
        import npuprof_found
        folders = npuprof_found.profile_folders(self.job["profile_dir"])
        self.case.assertEqual(1, len(folders), folders)
        return folders[0]

    def output(self, name):
        return os.path.join(self.profile_folder(), "ASCEND_PROFILER_OUTPUT", name)
