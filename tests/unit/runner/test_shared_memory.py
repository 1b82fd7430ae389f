"""What the profiler leaves in /dev/shm, which all runs of the machine share: so no other run goes on beside these tests."""

import os

import simulated_run


class SharedMemory(simulated_run.RunCase):
    def test_only_the_runs_own_left_over_is_removed(self):
        foreign = "/dev/shm/DynamicProfileNpuShm_%s" % os.path.basename(self.scratch)
        with open(foreign, "w"):
            self.addCleanup(os.unlink, foreign)
        run = self.finished(faults="shm_left,kill_at_step:1")
        removed = [event["message"] for event in run.events("note") if event["code"] == "SHARED_MEMORY_REMOVED"][0]
        self.assertFalse(os.path.exists("/dev/shm/" + removed.split(", ")[0]))
        self.assertTrue(os.path.exists(foreign))

    def test_one_in_use_stays(self):
        import npuprof_processes
        path = "/dev/shm/DynamicProfileNpuShm_%s" % os.path.basename(self.scratch)
        with open(path, "w"):
            self.addCleanup(os.unlink, path)
            self.assertTrue(npuprof_processes.in_use(path))
        self.assertFalse(npuprof_processes.in_use(path))
