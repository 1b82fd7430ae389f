"""Faults injected into whole runs on the simulated host: whatever dies, the run ends in a verified artifact or in a
clear failure, is started once, and leaves nothing behind. NPUPROF_BIN names the program."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIMULATED = ROOT / "examples" / "simulated_host"
NPUPROF = os.environ.get("NPUPROF_BIN", str(ROOT / "build" / "dev" / "bin" / "npuprof"))
PATIENCE_S = 60


class FaultCase(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="npuprof_faults_")))
        self.workspace = self.scratch / "workspace"
        self.data = self.scratch / "data"
        shutil.copytree(SIMULATED / "workspace", self.workspace)
        self.workspace.chmod(0o755)
        self.config = self.scratch / "config.toml"
        self.config.write_text(
            '[server]\ndata_dir = "%s"\n[targets.sim]\nkind = "local"\nworkspace = "%s"\nset_env = ["%s"]\n'
            'path_prepend = ["%s"]\npython = "/usr/bin/python3"\nlease_dir = "%s"\nallow_env = ["SIMULATED_NPU_FAULTS"]\n'
            % (self.data, self.workspace, SIMULATED / "set_env.sh", SIMULATED / "bin", self.scratch / "leases"))
        self.calls = []

    def tearDown(self):
        for call in self.calls:
            if call.poll() is None:
                call.kill()
            call.communicate()
        for run in self.runs_on_host():
            subprocess.run(["/usr/bin/python3", str(run / "supervisor.py"), "cancel", str(run)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE_S)
        shutil.rmtree(self.scratch, ignore_errors=True)

    # --- what is done -------------------------------------------------------------------------------------------

    def begin(self, faults="slow_steps:150", **arguments):
        arguments = {"entry": "denoise.py:build", "device_ids": [0], "env": {"SIMULATED_NPU_FAULTS": faults}, **arguments}
        return self.call("collect_profile", arguments)

    def call(self, tool, arguments):
        call = subprocess.Popen([NPUPROF, "call", tool, "--json", json.dumps(arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "NPUPROF_CONFIG": str(self.config)})
        self.calls.append(call)
        return call

    def answer(self, call):
        out, err = call.communicate(timeout=PATIENCE_S * 2)
        try:
            return json.loads(out)
        except ValueError:
            self.fail("no JSON; %s" % err.decode()[-2000:])

    def carried_on(self):
        """What a new process makes of the only run."""
        return self.answer(self.call("fetch_artifact", {"run_id": self.run_id()}))

    # --- what is seen -------------------------------------------------------------------------------------------

    def until(self, condition, what):
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > limit:
                self.fail("%s has not come" % what)
            time.sleep(0.01)

    def runs_on_host(self):
        folder = self.workspace / ".npuprof" / "runs"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def run_id(self):
        self.until(lambda: (self.data / "runs").is_dir() and list((self.data / "runs").iterdir()), "a run")
        runs = list((self.data / "runs").iterdir())
        self.assertEqual(1, len(runs))
        return runs[0].name

    def lines(self, file):
        try:
            return [json.loads(line) for line in file.read_text().splitlines(True) if line.endswith("\n")]
        except (FileNotFoundError, ValueError):
            return []

    def journal(self):
        return self.lines(self.data / "runs" / self.run_id() / "journal.jsonl")

    def events(self):
        runs = self.runs_on_host()
        return self.lines(runs[0] / "events.jsonl") if runs else []

    def until_begun(self, stage):
        self.until(lambda: any(line["kind"] == "begin" and line["stage"] == stage for line in self.journal()), stage)

    def until_stage(self, stage):
        self.until(lambda: any(event["kind"] == "stage" and event["stage"] == stage for event in self.events()), stage)

    def supervisor(self):
        return json.loads((self.runs_on_host()[0] / "status.json").read_text())["supervisor"]["pid"]

    def processes(self):
        mark = b"NPUPROF_RUN_ID=" + self.run_id().encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in pathlib.Path("/proc", pid, "environ").read_bytes():
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def assert_ended(self, record, state):
        """In `state`, started once, nothing alive, no lease held, no temporary file at home."""
        self.assertEqual(state, record["state"], json.dumps(record, indent=1))
        self.assertEqual(1, len(self.runs_on_host()))
        starts = [event for event in self.events() if event["kind"] == "stage" and event["stage"] == "lease"]
        self.assertEqual(1, len(starts), starts)
        self.until(lambda: not self.processes(), "the end of the processes")
        left = [str(path) for path in (self.data / "runs" / self.run_id()).rglob("*")
                if path.name.endswith((".partial", ".new")) or "run.json." in path.name]
        self.assertEqual([], left)
        again = self.answer(self.begin(faults=""))
        self.assertEqual("captured", again["state"], "the device was not given back: %s" % again.get("error"))

    def assert_verified(self, record):
        self.assert_ended(record, "captured")
        self.assertEqual("verified", record["artifact"]["state"], json.dumps(record, indent=1))
        self.assertEqual(5, len(record["window"]["step_ms"]))


class KilledServer(FaultCase):
    """kill -9 of npuprof at each stage: the next one carries on."""

    def check(self, wait, faults="slow_steps:150"):
        call = self.begin(faults)
        wait()
        call.kill()
        call.wait()
        self.assert_verified(self.carried_on())

    def test_in_the_precheck(self):
        self.check(lambda: self.until_begun("precheck"))

    def test_while_starting_the_run(self):
        self.check(lambda: self.until_begun("launch"))

    def test_while_loading(self):
        self.check(lambda: self.until_stage("load"))

    def test_in_the_warmup(self):
        self.check(lambda: self.until_stage("warmup"))

    def test_in_the_window(self):
        self.check(lambda: self.until_stage("window"))

    def test_in_the_export(self):
        self.check(lambda: self.until_stage("export"))

    def test_while_fetching(self):
        self.check(lambda: self.until_begun("fetch"))

    def test_while_judging(self):
        self.check(lambda: self.until_begun("judge"))

    def test_twice(self):
        for stage in ("load", "window"):
            call = self.begin() if stage == "load" else self.call("fetch_artifact", {"run_id": self.run_id()})
            self.until_stage(stage)
            call.kill()
            call.wait()
        self.assert_verified(self.carried_on())

    def test_with_a_journal_line_cut_off(self):
        call = self.begin()
        self.until_stage("window")
        call.kill()
        call.wait()
        with open(self.data / "runs" / self.run_id() / "journal.jsonl", "a") as file:
            file.write('{"format":1,"kind":"beg')
        self.assert_verified(self.carried_on())

    def test_that_was_only_stopped_for_a_while(self):
        call = self.begin()
        self.until_stage("warmup")
        call.send_signal(signal.SIGSTOP)
        time.sleep(2)  # the fault itself: two seconds without a server
        call.send_signal(signal.SIGCONT)
        self.assert_verified(self.answer(call))


class BesideEachOther(FaultCase):
    def test_two_servers_on_one_data_directory_start_a_run_once(self):
        first = self.begin()
        self.until_begun("launch")
        second = self.call("fetch_artifact", {"run_id": self.run_id()})
        third = self.call("fetch_artifact", {"run_id": self.run_id()})
        records = [self.answer(call) for call in (first, second, third)]
        for record in records:
            self.assertEqual("verified", record["artifact"]["state"], json.dumps(record, indent=1))
        self.assert_verified(records[0])


class KilledOnTheHost(FaultCase):
    def test_a_killed_supervisor_is_a_failure_that_says_so(self):
        for stage in ("load", "warmup", "window"):
            with self.subTest(stage):
                call = self.begin()
                self.until_stage(stage)
                os.kill(self.supervisor(), signal.SIGKILL)
                record = self.answer(call)
                self.assertEqual("RUNNER_DIED", record["error"]["code"])
                self.assert_ended(record, "failed")
            self.tearDown()
            self.setUp()

    def test_a_killed_workload_is_a_failure_with_its_signal(self):
        call = self.begin()
        self.until_stage("window")
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        record = self.answer(call)
        self.assertEqual("WORKLOAD_FAILED", record["error"]["code"])
        self.assertIn("KILL", record["error"]["message"])
        self.assert_ended(record, "failed")


if __name__ == "__main__":
    if not os.access(NPUPROF, os.X_OK):
        sys.stderr.write("skipped: there is no program %s\n" % NPUPROF)
        sys.exit(77)
    unittest.main(verbosity=2)
