"""Stopping, deadlines, and what a run survives: the whole tree ends, and nobody is left."""

import json
import os
import signal
import subprocess
import threading
import time
import unittest

import simulated_run


class Cancel(simulated_run.RunCase):
    def test_cancel_ends_the_run_and_says_in_which_stage(self):
        run = self.run_of(faults="hang_at_step:4")
        run.start()
        run.until_event(kind="stage", stage="window")
        status = run.cancel()
        self.assertEqual(("cancelled", "window", "CANCELLED"), (status["state"], status["stage"], status["error"]["code"]))
        self.assertEqual({}, run.processes())
        run.wait()

    def test_cancel_finds_children_that_have_a_session_of_their_own(self):
        run = self.run_of(faults="setsid_child,hang_at_step:1")
        run.start()
        run.until(lambda: any(b"sleep" in command_of(pid) for pid in run.processes()), "the child")
        run.cancel()
        self.assertEqual({}, run.processes())

    def test_children_left_behind_are_ended_before_the_export(self):
        run = self.finished(faults="setsid_child")
        self.assertEqual("captured", run.status()["state"])
        self.assertEqual({}, run.processes())

    def test_cancel_is_harmless_when_the_run_has_ended(self):
        run = self.finished(purpose="inference")
        before = run.status()
        self.assertEqual(before, run.cancel())
        self.assertEqual(before, run.status())

    def test_cancel_before_the_start_keeps_the_run_from_starting(self):
        run = self.run_of()
        self.assertEqual("cancelled", run.cancel()["state"])
        run.start()
        self.assertEqual("cancelled", run.wait()["state"])
        self.assertEqual([], run.events("stage"))

    def test_cancel_in_place_of_a_supervisor_that_was_killed(self):
        run = self.run_of(faults="setsid_child,hang_at_step:1")
        run.start()
        run.until(lambda: any(b"sleep" in command_of(pid) for pid in run.processes()), "the child")
        os.kill(run.status()["supervisor"]["pid"], signal.SIGKILL)
        run.until(lambda: not run.supervisor_lives(), "the supervisor's end")
        self.assertEqual("cancelled", run.cancel()["state"])
        self.assertEqual({}, run.processes())
        run.check_formats()

    def test_a_workload_dies_with_its_supervisor(self):
        run = self.run_of(faults="hang_at_step:1")
        run.start()
        run.until_event(kind="step", phase="first")
        os.kill(run.status()["supervisor"]["pid"], signal.SIGKILL)
        run.until(lambda: not run.processes(), "the workload's end")

    def test_a_workload_that_ignores_term_is_killed(self):
        self.write("stubborn.py", "import signal, time\n\ndef build(device):\n"
                                  "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    print('deaf', flush=True)\n"
                                  "    return lambda: time.sleep(600)\n")
        run = self.run_of(workload={"entry": "stubborn.py:build"})
        run.start()
        run.until(lambda: b"deaf" in run.log(), "the workload")
        self.assertEqual("cancelled", run.cancel()["state"])
        self.assertEqual({}, run.processes())

    def test_term_to_the_supervisor_is_a_cancel(self):
        run = self.run_of(faults="hang_at_step:1")
        run.start()
        run.until_event(kind="step", phase="first")
        os.kill(run.status()["supervisor"]["pid"], signal.SIGTERM)
        self.assertEqual("cancelled", run.wait()["state"])


class Deadline(simulated_run.RunCase):
    def test_a_hanging_step_times_out_and_everything_ends(self):
        run = self.finished(faults="hang_at_step:3,setsid_child", timeout_s=2)
        self.assertEqual(("timed_out", "window", "TIMED_OUT"),
                         (run.status()["state"], run.status()["stage"], run.status()["error"]["code"]))

    def test_a_workload_that_goes_on_after_the_window_is_ended_and_its_capture_kept(self):
        # first, 2 warm-up, arm, guard, 5 active: step 10 is the one after the window
        run = self.finished(faults="hang_at_step:10", timeout_s=20)
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertIn("ENDED_AFTER_FLUSH", [event["code"] for event in run.events("note")])

    def test_the_supervisor_outlives_a_workload_that_kills_every_python(self):
        run = self.finished(faults="pkill_python")
        self.assertEqual(("failed", "WORKLOAD_FAILED"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("signal TERM", run.status()["error"]["message"])


class Start(simulated_run.RunCase):
    def test_starting_twice_starts_once(self):
        run = self.run_of(purpose="inference")
        first = run.start()
        second = run.start()
        self.assertTrue(first["ok"] and second["ok"])
        self.assertEqual(first["pid"], second["pid"])
        run.wait()
        self.assertTrue(run.start()["again"])
        self.assertEqual(1, len([event for event in run.events("stage") if event["stage"] == "load"]))

    def test_many_starts_at_once_start_one_run(self):
        run = self.run_of(purpose="inference")
        starters = [subprocess.Popen(run.supervisor("start"), stdout=subprocess.PIPE) for _ in range(6)]
        answers = [json.loads(starter.communicate(timeout=60)[0].decode()) for starter in starters]
        self.assertEqual(1, len({answer["pid"] for answer in answers}), answers)
        run.wait()

    def test_the_answer_comes_after_the_status_stands(self):
        run = self.run_of(purpose="inference")
        self.assertTrue(run.start()["ok"])
        self.assertEqual(run.answer["pid"], run.status()["supervisor"]["pid"])
        run.wait()

    def test_a_job_of_another_format_is_refused(self):
        run = self.run_of()
        run.job["format"] = 2
        with open(os.path.join(run.directory, "job.json"), "w") as file:
            json.dump(run.job, file)
        answer = run.start()
        self.assertEqual((False, "FORMAT_UNKNOWN"), (answer["ok"], answer["error"]["code"]))
        self.assertIsNone(run.status())

    def test_a_python_that_is_not_there_is_named(self):
        run = self.finished(python="/no/such/python")
        self.assertIn("/no/such/python", run.status()["error"]["message"])

    def test_every_process_of_a_run_carries_its_id(self):
        run = self.run_of(faults="setsid_child,hang_at_step:1")
        run.start()
        run.until(lambda: len(run.processes()) >= 2, "two processes")
        run.cancel()

    def test_nothing_but_the_run_keeps_the_starter_waiting(self):
        # over SSH a channel closes when every holder of its output is gone
        run = self.run_of(faults="hang_at_step:1")
        begun = time.monotonic()
        run.start()
        self.assertLess(time.monotonic() - begun, 20)
        run.cancel()


class Follow(simulated_run.RunCase):
    def follow(self, run, requests):
        process = subprocess.Popen(run.supervisor("follow", self.runs_dir), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for request in requests:
            process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        return process

    def lines_until(self, process, condition):
        timer = threading.Timer(60, process.kill)
        timer.start()
        lines = []
        for line in process.stdout:
            lines.append(json.loads(line.decode()))
            if condition(lines[-1]):
                break
        timer.cancel()
        return lines

    def test_one_channel_tells_of_all_runs_in_order_and_to_the_end(self):
        runs = [self.run_of("a", purpose="inference"), self.run_of("b", lease=None)]
        process = self.follow(runs[0], [{"run_id": run.run_id, "from_seq": 1} for run in runs])
        for run in runs:
            run.start()
        open_runs = {run.run_id for run in runs}

        def over(line):
            if line.get("status", {}).get("state") in simulated_run.FINAL:
                open_runs.discard(line["run_id"])
            return not open_runs

        lines = self.lines_until(process, over)
        for run in runs:
            run.wait()
            told = [line["event"] for line in lines if line["run_id"] == run.run_id and "event" in line]
            self.assertEqual(run.events(), told)
        process.stdin.close()
        self.assertEqual(0, process.wait(30))

    def test_it_goes_on_where_it_is_told_to(self):
        run = self.finished(purpose="inference")
        process = self.follow(run, [{"run_id": run.run_id, "from_seq": 4}])
        lines = self.lines_until(process, lambda line: "status" in line)
        self.assertEqual([event for event in run.events() if event["seq"] >= 4],
                         [line["event"] for line in lines if "event" in line])
        self.assertEqual(run.status(), lines[-1]["status"])
        process.stdin.close()

    def test_a_dead_supervisor_is_told(self):
        run = self.run_of(faults="hang_at_step:1")
        run.start()
        run.until_event(kind="step", phase="first")
        process = self.follow(run, [{"run_id": run.run_id, "from_seq": 1}])
        self.lines_until(process, lambda line: line.get("alive"))
        os.kill(run.status()["supervisor"]["pid"], signal.SIGKILL)
        self.lines_until(process, lambda line: line.get("alive") is False)
        process.stdin.close()

    def test_a_run_that_is_not_there_is_told_so_and_bad_lines_harm_nothing(self):
        run = self.run_of()
        process = self.follow(run, ["nonsense", {"run_id": "../../etc"}, {"run_id": "nobody", "from_seq": 1}])
        line = self.lines_until(process, lambda line: True)[0]
        self.assertEqual({"run_id": "nobody", "missing": True, "alive": False}, line)
        process.stdin.close()


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return file.read()
    except OSError:
        return b""


if __name__ == "__main__":
    unittest.main()
