"""The entry way, from start to exported profile."""

import collections
import csv
import os
import unittest

import simulated_run


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Entry(simulated_run.RunCase):
    def test_a_run_goes_from_lease_to_exported_profile(self):
        run = self.finished()
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual(["lease", "start", "load", "first_step", "warmup", "window", "flush", "export"],
                         [event["stage"] for event in run.events("stage")])
        self.assertEqual(["armed", "recording", "flushed", "exported"],
                         [event["state"] for event in run.events("evidence")])
        self.assertEqual(run.status()["of"], run.status()["step"])

    def test_the_step_ids_told_are_those_in_the_profile(self):
        run = self.finished(window={"warmup_steps": 3, "guard_steps": 2, "active_steps": 4})
        told = {phase: [event["step_id"] for event in run.events("step") if event["phase"] == phase]
                for phase in ("arm", "guard", "active")}
        self.assertEqual({"arm": [0], "guard": [1, 2], "active": [3, 4, 5, 6]}, told)
        phases = collections.Counter(event["phase"] for event in run.events("step"))
        self.assertEqual({"first": 1, "warmup": 3, "arm": 1, "guard": 2, "active": 4, "after": 1}, phases)
        kernels = {int(row["Step Id"]) for row in rows_of(run.output("kernel_details.csv"))}
        steps = [int(row["Step"]) for row in rows_of(run.output("step_trace_time.csv"))]
        self.assertEqual({1, 2, 3, 4, 5, 6}, kernels)
        self.assertEqual([1, 2, 3, 4, 5, 6], steps)

    def test_the_first_output_is_described(self):
        output = self.finished().events("output")[0]
        self.assertEqual([], output["problems"])
        self.assertEqual([16, 24], output["outputs"][0]["shape"])
        self.assertFalse(output["outputs"][0]["has_nan"] or output["outputs"][0]["all_zero"])
        self.assertGreater(output["peak_memory_mb"], 0)

    def test_a_wrong_first_output_ends_the_run_before_anything_is_recorded(self):
        for fault, word in (("nan_output", "NaN"), ("zero_output", "zero"), ("empty_output", "empty")):
            with self.subTest(fault):
                run = self.finished(fault, faults=fault)
                self.assertEqual(("failed", "OUTPUT_INVALID"), (run.status()["state"], run.status()["error"]["code"]))
                self.assertIn(word, run.status()["error"]["message"])
                self.assertEqual([], run.events("profiler"))

    def test_inference_runs_one_step_and_records_nothing(self):
        run = self.finished(purpose="inference")
        self.assertEqual("done", run.status()["state"])
        self.assertEqual(["first"], [event["phase"] for event in run.events("step")])
        self.assertEqual([], os.listdir(run.job["profile_dir"]))

    def test_params_reach_the_entry(self):
        run = self.finished(workload={"params": {"tokens": 8, "width": 12}}, purpose="inference")
        self.assertEqual([8, 12], run.events("output")[0]["outputs"][0]["shape"])

    def test_a_bad_entry_is_named_and_nothing_runs(self):
        self.write("bad.py", "def build(device):\n    return 5\n\nvalue = 3\n")
        for entry, params, code, word in (
                ("nowhere.py:build", {}, "NOT_FOUND", "nowhere.py"),
                ("no.such.module:build", {}, "NOT_FOUND", "no.such.module"),
                ("denoise.py:missing", {}, "INVALID_ARGUMENTS", "build"),
                ("bad.py:value", {}, "INVALID_ARGUMENTS", "not a function"),
                ("bad.py:build", {}, "INVALID_ARGUMENTS", "not a callable"),
                ("denoise.py:build", {"colour": 1}, "INVALID_ARGUMENTS", "colour")):
            with self.subTest(entry + str(params)):
                run = self.finished("bad%d" % len(self.runs), workload={"entry": entry, "params": params})
                self.assertEqual((code, "failed"), (run.status()["error"]["code"], run.status()["state"]))
                self.assertIn(word, run.status()["error"]["message"])
                self.assertEqual([], run.events("step"))

    def test_guard_and_window_are_told_apart_by_recording_the_cpu_too(self):
        run = self.finished()
        self.assertEqual(["npu", "cpu"], run.events("profiler")[0]["data"]["activities"])
        self.assertIn("ACTIVITIES_EXTENDED", [event["code"] for event in run.events("note")])

    def test_npu_alone_is_recorded_where_no_guard_step_asks_for_more(self):
        run = self.finished(window={"guard_steps": 0})
        self.assertEqual(["npu"], run.events("profiler")[0]["data"]["activities"])
        self.assertNotIn("Step Id", rows_of(run.output("kernel_details.csv"))[0])

    def test_compile_is_asked_of_the_entry_and_compiles_are_counted(self):
        run = self.finished(compile=True, faults="recompiles:2", window={"warmup_steps": 4})
        self.assertEqual([("first", 1), ("warmup", 1), ("warmup", 1)],
                         [(event["phase"], event["compiles"]) for event in run.events("step") if "compiles" in event])

    def test_a_warm_up_that_still_compiles_is_flagged(self):
        run = self.finished(compile=True, faults="recompiles:6")
        self.assertEqual("captured", run.status()["state"])
        note = [event for event in run.events("note") if event["code"] == "WARMUP_INSUFFICIENT"][0]
        self.assertEqual([1, 1], note["data"]["compiles"])
        self.assertEqual(4, sum(event.get("compiles", 0) for event in run.events("step")
                                if event["phase"] in ("arm", "guard", "active")))

    def test_an_entry_that_can_not_compile_is_refused(self):
        self.write("own.py", "def build(device):\n    return lambda: 1.0\n")
        run = self.finished(workload={"entry": "own.py:build"}, compile=True)
        self.assertEqual("INVALID_ARGUMENTS", run.status()["error"]["code"])
        self.assertIn("compile", run.status()["error"]["message"])

    def test_workload_modules_never_meet_those_of_the_runner(self):
        self.write("runner.py", "MINE = True\n")
        self.write("own.py", "import runner\n\ndef build(device):\n    assert runner.MINE\n    return lambda: 1.0\n")
        self.assertEqual("done", self.finished(workload={"entry": "own.py:build"}, purpose="inference").status()["state"])


if __name__ == "__main__":
    unittest.main()
