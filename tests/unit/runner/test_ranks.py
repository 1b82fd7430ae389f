"""Several ranks, one a device, started through torchrun."""

import os
import unittest

import simulated_run

import npuprof_found


class Ranks(simulated_run.RunCase):
    def ranks(self, **changes):
        settings = {"nproc_per_node": 2, "device_ids": [0, 1], "ranks": [0, 1],
                    "lease": {"dir": self.leases, "keys": ["0000_C1_00.0", "0000_C2_00.0"], "wait_s": 0}}
        settings.update(changes)
        return self.finished(**settings)

    def folders(self, run):
        return [os.path.basename(folder).partition("_rank")[2][0] for folder in
                npuprof_found.profile_folders(run.job["profile_dir"])]

    def test_every_rank_asked_for_records_the_same_window(self):
        run = self.ranks()
        self.assertEqual("captured", run.status()["state"], (run.status(), run.log()))
        self.assertEqual(["0", "1"], self.folders(run))
        for rank in (0, 1):
            ids = [event["step_id"] for event in run.events("step") if event["rank"] == rank and event["phase"] == "active"]
            self.assertEqual([2, 3, 4, 5, 6], ids)
        self.assertEqual(run.status()["of"], run.status()["step"])

    def test_ranks_meet_before_the_warm_up_and_the_window(self):
        meetings = [(event["rank"], event["data"]["meeting"]) for event in self.ranks().events("note")
                    if event["code"] == "RANKS_MET"]
        self.assertEqual([(0, "warmup"), (0, "window"), (1, "warmup"), (1, "window")], sorted(meetings))

    def test_only_the_ranks_asked_for_record(self):
        run = self.ranks(ranks=[1])
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual(["1"], self.folders(run))
        self.assertEqual({1}, {event["rank"] for event in run.events("step")})

    def test_a_rank_that_fails_fails_the_run_and_is_named(self):
        self.write("partial.py", "import os, denoise\n\ndef build(device):\n    if os.environ['RANK'] == '1':\n"
                   "        raise OSError('no weights for me')\n    return denoise.build(device)\n")
        run = self.ranks(workload={"entry": "partial.py:build"})
        self.assertEqual(("failed", "WORKLOAD_FAILED"), (run.status()["state"], run.status()["error"]["code"]))
        self.assertIn("rank 1", run.status()["error"]["message"])
        self.assertIn("no weights for me", run.status()["error"]["message"])

    def test_a_hooked_program_of_several_ranks(self):
        self.write("many.py", "import os, sys, generate\nsys.argv[1:] = ['--device', 'npu:' + os.environ['LOCAL_RANK']]\n"
                   "generate.main()\n")
        run = self.ranks(script="many.py", workload={"way": "hook", "hook": "denoise:Denoiser.__call__"})
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual(["0", "1"], self.folders(run))

    def test_a_port_conflict_of_hccl_is_recognised(self):
        self.write("conflict.py", "def build(device):\n    raise RuntimeError('EJ0003: Failed to bind the IP port.')\n")
        run = self.finished(workload={"entry": "conflict.py:build"})
        self.assertEqual("HCCL_PORT_CONFLICT", run.status()["error"]["code"])
        self.assertIn("HCCL_IF_BASE_PORT", run.status()["error"]["remedy"])


if __name__ == "__main__":
    unittest.main()
