"""What goes wrong with a workload, the profiler or its export ends in a clear state; and the simulated host's faults do
to the data what they say, so that the anomalies of a profile can be tested on them."""

import csv
import json
import os
import statistics
import unittest

import simulated_run


class WorkloadFaults(simulated_run.RunCase):
    def test_a_crash_is_told_with_its_step_and_traceback(self):
        run = self.finished(faults="crash_at_step:5")
        self.assertEqual(("failed", "WORKLOAD_FAILED"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("simulated crash in step 5", run.status()["error"]["message"])
        self.assertIn(b"Traceback", run.log())
        self.assertEqual(5, len(run.events("step")))

    def test_a_process_that_ends_itself_is_told_with_its_status(self):
        run = self.finished(faults="exit_at_step:2")
        self.assertEqual("WORKLOAD_FAILED", run.status()["error"]["code"])
        self.assertIn("exit status 3", run.status()["error"]["message"])

    def test_a_process_that_is_killed_is_told_with_its_signal(self):
        run = self.finished(faults="kill_at_step:6")
        self.assertEqual("WORKLOAD_FAILED", run.status()["error"]["code"])
        self.assertEqual("KILL", [event for event in run.events("exit") if event["process"] == "runner"][0]["signal"])

    def test_a_crash_after_the_flush_keeps_the_capture(self):
        # first, 2 warm-up, arm, guard, 5 active: step 10 is the one after the window
        run = self.finished(faults="kill_at_step:10")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertIn("EXIT_NOT_ZERO", [event["code"] for event in run.events("note")])

    def test_a_flood_is_bounded_and_head_and_tail_are_kept(self):
        run = self.finished(faults="stderr_flood:20", log_limit_bytes=20000)
        self.assertEqual("captured", run.status()["state"])
        log = run.log()
        self.assertLess(len(log), 21000)
        self.assertTrue(log.startswith(b"E99999"))
        self.assertIn(b"bytes left out", log)
        self.assertIn(b"All profiling data parsed", log[-2000:])

    def test_binary_output_harms_nothing(self):
        run = self.finished(faults="binary_output,crash_at_step:1")
        self.assertEqual("failed", run.status()["state"])
        self.assertIn(bytes(range(256)), run.log())

    def test_a_broken_torch_npu_is_named_with_its_own_words(self):
        run = self.finished(faults="import_fails")
        self.assertEqual("IMPORT_FAILED", run.status()["error"]["code"])
        self.assertIn("libhccl.so", run.status()["error"]["message"])

    def test_a_device_that_torch_does_not_know_is_named(self):
        run = self.finished(device_ids=[7])
        self.assertEqual("DEVICE_UNKNOWN", run.status()["error"]["code"])
        self.assertIn("valid device range", run.status()["error"]["message"])

    def test_metrics_that_this_release_lacks_are_refused_with_those_it_has(self):
        run = self.finished(profiler={"aic_metrics": "Nonsense"})
        self.assertEqual("INVALID_ARGUMENTS", run.status()["error"]["code"])
        self.assertIn("PipeUtilization", run.status()["error"]["message"])


class ExportFaults(simulated_run.RunCase):
    def test_a_profiler_that_recorded_nothing_is_no_output(self):
        run = self.finished(faults="inert")
        self.assertEqual(("failed", "NO_OUTPUT"), (run.status()["state"], run.status()["error"]["code"]))

    def test_an_export_is_not_believed_when_it_says_it_is_done(self):
        for fault in ("empty_export", "export_fails"):
            with self.subTest(fault):
                run = self.finished(fault, faults=fault)
                self.assertEqual(("failed", "EXPORT_FAILED"), (run.status()["state"], run.status()["error"]["code"]))
                self.assertIn("All profiling data parsed", run.status()["error"]["message"])
                self.assertEqual(0, [event for event in run.events("exit") if event["process"] == "export"][0]["status"])
                self.assertTrue(os.path.isdir(run.profile_folder()))

    def test_an_export_that_works_only_in_a_fresh_process_works(self):
        self.assertEqual("captured", self.finished(faults="export_offline_only").status()["state"])

    def test_an_export_that_hangs_times_out_and_keeps_the_raw_data(self):
        run = self.finished(faults="export_hangs", export_timeout_s=1)
        self.assertEqual(("timed_out", "export"), (run.status()["state"], run.status()["stage"]))
        self.assertIn("export_timeout_s", run.status()["error"]["remedy"])
        self.assertTrue(any(name.startswith("PROF_") for name in os.listdir(run.profile_folder())))

    def test_the_device_is_given_back_before_the_export(self):
        slow = self.run_of("slow", faults="export_hangs", export_timeout_s=30)
        slow.start()
        slow.until_event(kind="stage", stage="export")
        other = self.finished("other")
        self.assertEqual("captured", other.status()["state"], other.status())
        slow.cancel()


class DataFaults(simulated_run.RunCase):
    def kernels(self, run):
        with open(run.output("kernel_details.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def trace(self, run):
        with open(run.output("trace_view.json")) as file:
            return json.load(file)

    def test_a_clean_profile_agrees_with_itself(self):
        run = self.finished()
        kernels = self.kernels(run)
        with open(run.output("step_trace_time.csv"), newline="") as file:
            steps = list(csv.DictReader(file))
        for step in steps:
            computing = sum(float(row["Duration(us)"]) for row in kernels if row["Step Id"] == step["Step"])
            self.assertAlmostEqual(computing, float(step["Computing"]), places=2)
            self.assertAlmostEqual(float(step["Computing"]) + float(step["Free"]), float(step["Stage"]), places=2)
        events = self.trace(run)
        self.assertEqual(len(kernels), sum(event.get("name") == "Computing" for event in events) - 0)
        self.assertEqual([1, 2, 3, 4, 5, 6], [int(event["name"].split("#")[1]) for event in events
                                              if event["name"].startswith("ProfilerStep#")])

    def test_the_files_have_the_manners_of_the_real_ones(self):
        run = self.finished()
        with open(run.output("kernel_details.csv"), "rb") as file:
            head, row = file.readline(), file.readline()
        self.assertTrue(head.endswith(b"\r\n") and row.endswith(b"\r\n"))
        self.assertEqual(47, head.count(b",") + 1)  # as the real one's 46 with the Device_id of 7.1
        self.assertRegex(row.decode(), r",\d{16}\.\d{3}\t,")
        self.assertIn('"""16,24;24,24"""', row.decode())
        start = [event["ts"] for event in self.trace(run) if event.get("ph") == "X"][0]
        self.assertRegex(start, r"^\d{16}\.\d{3}$")
        self.assertEqual(0o640, os.stat(run.output("kernel_details.csv")).st_mode & 0o777)
        with open(os.path.join(run.profile_folder(), "profiler_info.json")) as file:
            schedule = json.load(file)["config"]["common_config"]["schedule"]
        self.assertEqual({"wait": 0, "active": 6, "warmup": 1, "repeat": 1, "skip_first": 0}, schedule)

    def test_warmup_leak_records_the_step_before_the_window(self):
        run = self.finished(faults="warmup_leak")
        self.assertIn("0", {row["Step Id"] for row in self.kernels(run)})

    def test_compile_in_window_shows_as_a_long_compile_in_one_step(self):
        run = self.finished(faults="compile_in_window")
        compiles = [event["dur"] for event in self.trace(run) if event["name"] == "AscendCL@opCompile"]
        self.assertEqual(1, len(compiles))
        self.assertGreater(compiles[0], 20000)

    def test_a_warm_window_has_no_compile(self):
        self.assertEqual([], [event for event in self.trace(self.finished()) if "ompile" in event["name"]])

    def test_a_program_without_warm_up_has_its_compiles_in_the_first_step(self):
        run = self.finished(script="infer.py", window={"warmup_steps": 0})
        compiles = [event for event in self.trace(run) if event["name"] == "AscendCL@aclopCompileAndExecute"]
        self.assertGreater(len(compiles), 3)
        steps = [event["dur"] for event in self.trace(run) if event["name"].startswith("ProfilerStep#")]
        self.assertGreater(steps[0], 2 * statistics.median(steps[1:]))

    def test_lost_steps_are_missing_everywhere(self):
        run = self.finished(faults="lost_steps:2")
        self.assertEqual({"1", "2", "3", "4"}, {row["Step Id"] for row in self.kernels(run)})

    def test_step_mismatch_leaves_one_out_of_one_table(self):
        run = self.finished(faults="step_mismatch")
        with open(run.output("step_trace_time.csv"), newline="") as file:
            self.assertEqual(5, len(list(csv.DictReader(file))))
        self.assertEqual(6, len({row["Step Id"] for row in self.kernels(run)}))

    def test_spillover_leaves_rows_without_a_step(self):
        self.assertEqual(3, sum(row["Step Id"] == "" for row in self.kernels(self.finished(faults="spillover"))))

    def test_files_can_be_missing_empty_or_stale(self):
        missing = self.finished("missing", faults="missing_file:kernel_details.csv")
        self.assertEqual("captured", missing.status()["state"])
        self.assertFalse(os.path.exists(missing.output("kernel_details.csv")))
        empty = self.finished("empty", faults="empty_table:kernel_details.csv")
        self.assertEqual([], self.kernels(empty))
        stale = self.finished("stale", faults="stale_output:kernel_details.csv")
        self.assertLess(os.path.getmtime(stale.output("kernel_details.csv")), stale.status()["started_at"] - 1000)
        exported = stale.events("evidence")[-1]["proof"]["folders"][0]
        self.assertEqual(1, exported["stale"])

    def test_a_truncated_trace_is_no_json(self):
        with self.assertRaises(ValueError):
            self.trace(self.finished(faults="truncated_trace"))


if __name__ == "__main__":
    unittest.main()
