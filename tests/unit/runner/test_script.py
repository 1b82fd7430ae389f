"""The script way: programs that profile themselves."""

import os
import unittest

import simulated_run

WRITES_PROFILE = "import infer, sys\ninfer.main()\n"


class Script(simulated_run.RunCase):
    def test_its_profile_is_moved_into_the_run(self):
        run = self.finished(script="infer.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertTrue(os.path.exists(run.output("kernel_details.csv")))
        self.assertFalse(os.path.exists(os.path.join(self.workspace, "profile_l1")))
        self.assertEqual(["flushed", "exported"], [event["state"] for event in run.events("evidence")
                                                   if event["state"] in ("flushed", "exported")])

    def test_it_gets_the_contracts_arguments(self):
        run = self.finished(script="infer.py", workload={"args": ["--steps", "3"]}, window={"warmup_steps": 4})
        argv = [event for event in run.events("note") if event["code"] == "SCRIPT_STARTED"][0]["data"]["argv"]
        self.assertEqual(["--steps", "3", "--device_id", "0", "--profile", "--warmup-steps", "4"], argv[1:])

    def test_warmup_steps_are_not_forced_on_a_program_that_knows_none(self):
        self.write("plain.py", "import sys\nassert '--warmup' + '-steps' not in sys.argv, sys.argv\n"
                               "sys.argv = sys.argv[:1] + ['--profile']\nfrom infer import main\nmain()\n")
        run = self.finished(script="plain.py")
        self.assertEqual("captured", run.status()["state"], run.log())
        self.assertIn("WARMUP_STEPS_NOT_TAKEN", [event["code"] for event in run.events("note")])

    def test_warmup_steps_are_found_in_the_help_of_a_program_that_parses_elsewhere(self):
        self.write("outer.py", "from infer import main  # argparse is there\nmain()\n")
        run = self.finished(script="outer.py")
        argv = [event for event in run.events("note") if event["code"] == "SCRIPT_STARTED"][0]["data"]["argv"]
        self.assertIn("--warmup-steps", argv)

    def test_an_output_folder_that_is_there_already_is_refused_and_kept(self):
        os.makedirs(os.path.join(self.workspace, "profile_l1", "old_ascend_pt"))
        run = self.finished(script="infer.py")
        self.assertEqual(("failed", "ALREADY_EXISTS"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("nothing ran", run.status()["error"]["message"])
        self.assertEqual(b"", run.log())
        self.assertTrue(os.path.isdir(os.path.join(self.workspace, "profile_l1", "old_ascend_pt")))

    def test_another_run_that_writes_to_the_same_folder_is_refused(self):
        first = self.run_of("first", faults="slow_steps:400", script="infer.py", lease=None)
        first.start()
        first.until_event(kind="stage", stage="window")
        second = self.finished("second", script="infer.py", lease=None)
        self.assertEqual("ALREADY_EXISTS", second.status()["error"]["code"])
        self.assertEqual("captured", first.wait()["state"])

    def test_a_bad_exit_with_a_whole_profile_is_captured_with_a_note(self):
        self.write("grumpy.py", WRITES_PROFILE + "sys.exit(7)  # --warmup-steps\n")
        run = self.finished(script="grumpy.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertIn("exit status 7", [event for event in run.events("note") if event["code"] == "EXIT_NOT_ZERO"][0]["message"])

    def test_a_bad_exit_without_a_profile_is_a_failure_with_the_last_words(self):
        self.write("dies.py", "print('I can not find the weights')\nraise SystemExit(2)\n")
        run = self.finished(script="dies.py")
        self.assertEqual(("failed", "WORKLOAD_FAILED"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("I can not find the weights", run.status()["error"]["message"])

    def test_a_good_exit_without_a_profile_is_no_output(self):
        self.write("idle.py", "print('all done')\n")
        run = self.finished(script="idle.py")
        self.assertEqual(("failed", "NO_OUTPUT"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("profile_l1", run.status()["error"]["remedy"])

    def test_a_profile_whose_own_export_failed_is_exported_afterwards(self):
        run = self.finished(faults="export_offline_only", script="infer.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertTrue(os.path.exists(run.output("trace_view.json")))

    def test_a_profile_left_in_the_working_directory_is_found_too(self):
        self.write("cwd.py", "import infer\ninfer.torch_npu.profiler.tensorboard_trace_handler = "
                             "lambda path, real=infer.torch_npu.profiler.tensorboard_trace_handler: real()\n"
                             "infer.main()  # --warmup-steps\n")
        run = self.finished(script="cwd.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual([], [name for name in os.listdir(self.workspace) if name.endswith("_ascend_pt")])


if __name__ == "__main__":
    unittest.main()
