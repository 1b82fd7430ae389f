"""Two runs never share a device; the next in the queue gets it; a holder that is gone holds nothing."""

import json
import os
import signal
import subprocess
import sys
import unittest

import simulated_run

import npuprof_leases

KEY = "0000_C1_00.0"


class Runs(simulated_run.RunCase):
    def holding(self):
        run = self.run_of("holder", faults="hang_at_step:1")
        run.start()
        run.until_event(kind="step", phase="first")
        return run

    def test_a_held_device_is_busy_and_its_holder_named(self):
        holder = self.holding()
        run = self.finished("second")
        error = run.status()["error"]
        self.assertEqual(("failed", "DEVICE_BUSY", holder.run_id), (run.status()["state"], error["code"], error["holder"]))
        self.assertIn("nothing ran", error["message"])
        holder.cancel()
        self.assertEqual("done", self.finished("third", purpose="inference").status()["state"])

    def test_another_device_is_not_busy(self):
        holder = self.holding()
        other = self.finished("other", lease={"dir": self.leases, "keys": ["0000_C2_00.0"], "wait_s": 0}, purpose="inference")
        self.assertEqual("done", other.status()["state"])
        holder.cancel()

    def test_who_came_first_gets_the_device_first(self):
        holder = self.holding()
        queue = []
        for name in ("q1", "q2", "q3"):
            run = self.run_of(name, purpose="inference", lease={"dir": self.leases, "keys": [KEY], "wait_s": 60})
            run.start()
            count = len(queue) + 1
            run.until(lambda: len([n for n in os.listdir(self.leases) if n.startswith("ticket.")]) == count, "its ticket")
            queue.append(run)
        self.assertEqual("lease", queue[0].status()["stage"])
        holder.cancel()
        for run in queue:
            self.assertEqual("done", run.wait()["state"])
        loaded = [[event["t"] for event in run.events("stage") if event["stage"] == "start"][0] for run in queue]
        self.assertEqual(sorted(loaded), loaded)
        self.assertEqual([], [name for name in os.listdir(self.leases) if name.startswith("ticket.")])

    def test_waiting_ends_at_its_limit(self):
        holder = self.holding()
        run = self.finished("second", lease={"dir": self.leases, "keys": [KEY], "wait_s": 1})
        self.assertEqual("DEVICE_BUSY", run.status()["error"]["code"])
        holder.cancel()

    def test_who_waits_can_be_cancelled(self):
        holder = self.holding()
        run = self.run_of("second", lease={"dir": self.leases, "keys": [KEY], "wait_s": 60})
        run.start()
        run.until(lambda: any(name.startswith("ticket.") for name in os.listdir(self.leases)), "its ticket")
        self.assertEqual(("cancelled", "lease"), (run.cancel()["state"], run.status()["stage"]))
        holder.cancel()

    def test_the_lease_of_a_killed_supervisor_is_taken_over_and_said(self):
        holder = self.holding()
        os.kill(holder.status()["supervisor"]["pid"], signal.SIGKILL)
        holder.until(lambda: not holder.processes() and not holder.supervisor_lives(), "the holder's end")
        run = self.finished("second", purpose="inference")
        self.assertEqual("done", run.status()["state"], run.status())
        self.assertIn(holder.run_id, [event for event in run.events("note") if event["code"] == "LEASE_STALE"][0]["message"])

    def test_a_device_whose_workload_outlived_its_supervisor_stays_taken(self):
        holder = self.run_of("holder", faults="setsid_child,hang_at_step:1")
        holder.start()
        holder.until(lambda: len(holder.processes()) >= 2, "its child")
        os.kill(holder.status()["supervisor"]["pid"], signal.SIGKILL)
        holder.until(lambda: not holder.supervisor_lives(), "the holder's end")
        self.assertEqual("DEVICE_BUSY", self.finished("second").status()["error"]["code"])
        holder.cancel()
        self.assertEqual("done", self.finished("third", purpose="inference").status()["state"])

    def test_a_lease_directory_that_can_not_be_is_said_and_nothing_runs(self):
        run = self.finished(lease={"dir": "/proc/npuprof", "keys": [KEY], "wait_s": 0})
        self.assertEqual("LEASE_UNAVAILABLE", run.status()["error"]["code"])
        self.assertIn("nothing ran", run.status()["error"]["message"])


class Locks(simulated_run.RunCase):
    def test_all_keys_or_none(self):
        one = npuprof_leases.Leases(self.leases, ["b"], "one")
        self.assertTrue(one.acquire(0))
        two = npuprof_leases.Leases(self.leases, ["a", "b"], "two")
        with self.assertRaises(npuprof_leases.Busy):
            two.acquire(0)
        three = npuprof_leases.Leases(self.leases, ["a"], "three")
        self.assertTrue(three.acquire(0))
        three.release()
        one.release()
        self.assertTrue(two.acquire(0))
        two.release()

    def test_the_directory_is_for_all_users(self):
        leases = npuprof_leases.Leases(self.leases, ["a"], "one")
        leases.acquire(0)
        self.assertEqual(0o1777, os.stat(self.leases).st_mode & 0o7777)
        self.assertEqual(0o666, os.stat(os.path.join(self.leases, "a.lock")).st_mode & 0o7777)
        leases.release()

    def test_a_link_is_never_followed(self):
        os.makedirs(self.leases)
        victim = os.path.join(self.scratch, "victim")
        with open(victim, "w") as file:
            file.write("precious")
        os.symlink(victim, os.path.join(self.leases, "a.lock"))
        with self.assertRaises(npuprof_leases.Unavailable):
            npuprof_leases.Leases(self.leases, ["a"], "one").acquire(0)
        with open(victim) as file:
            self.assertEqual("precious", file.read())

    @unittest.skipUnless(os.getuid() == 0, "needs root to become other users")
    def test_other_users_see_each_others_leases(self):
        os.chmod(self.scratch, 0o755)
        mine = npuprof_leases.Leases(self.leases, ["a"], "one")
        mine.acquire(0)
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import npuprof_leases as n\n"
                "try: n.Leases(sys.argv[2], ['a'], 'two').acquire(0); print('taken')\n"
                "except n.Busy as busy: print('busy', busy.holder.get('run_id'))\n")
        modules = os.path.join(self.scratch, "modules")
        os.makedirs(modules)
        for name in ("npuprof_leases.py", "npuprof_processes.py"):
            with open(os.path.join(simulated_run.PYTHON_FILES, name)) as source:
                with open(os.path.join(modules, name), "w") as copy:
                    copy.write(source.read())

        def other():
            return subprocess.run([sys.executable, "-B", "-c", code, modules, self.leases], stdout=subprocess.PIPE, cwd="/",
                                  user=65534, group=65534, extra_groups=[]).stdout.decode().strip()

        self.assertEqual("busy one", other())
        mine.release()
        self.assertEqual("taken", other())


if __name__ == "__main__":
    unittest.main()
