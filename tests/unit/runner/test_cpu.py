"""Dry runs on real PyTorch on the CPU."""

import json
import os
import shutil
import subprocess
import sys
import unittest

import simulated_run

PYTHON = "/usr/bin/python3"

if not os.path.exists(PYTHON) or subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode:
    sys.stderr.write("ALL SKIPPED: no PyTorch here (Debian's python3-torch)\n")
    raise unittest.SkipTest("no PyTorch here (Debian's python3-torch)")


class Dry(simulated_run.RunCase):
    def dry(self, **changes):
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "small_network.py"), self.workspace)
        settings = {"backend": "cpu", "python": PYTHON, "device_ids": [], "lease": None,
                    "workload": {"entry": "small_network.py:build"}}
        settings.update(changes)
        return self.finished(**settings)

    def test_a_real_network_is_stepped_looked_at_and_traced(self):
        run = self.dry()
        self.assertEqual("captured", run.status()["state"], run.status())
        output = run.events("output")[0]["outputs"][0]
        self.assertEqual(("['logits']", [2, 10], "torch.float32"), (output["path"], output["shape"], output["dtype"]))
        self.assertEqual(11, len(run.events("step")))
        self.assertTrue(all(event["ms"] > 0 for event in run.events("step")))
        self.assertEqual("cpu", run.events("profiler")[0]["data"]["backend"])
        with open(os.path.join(run.job["profile_dir"], "cpu_trace.json")) as file:
            trace = json.load(file)
        events = trace if isinstance(trace, list) else trace["traceEvents"]  # a bare list without Kineto
        names = {event.get("name") for event in events}
        self.assertIn("aten::convolution", names)
        # Debian's PyTorch has no Kineto: its older profiler leaves the last step unnamed.
        self.assertLessEqual({"ProfilerStep#%d" % step for step in range(1, 6)}, names)
        with open(os.path.join(run.job["profile_dir"], "cpu_operators.json")) as file:
            operators = json.load(file)
        self.assertEqual("cpu", operators["backend"])
        self.assertTrue(any("softmax" in operator["name"] for operator in operators["operators"]))

    def test_no_table_of_canns_is_pretended(self):
        run = self.dry()
        self.assertEqual(["cpu_operators.json", "cpu_trace.json"], sorted(os.listdir(run.job["profile_dir"])))
        self.assertEqual(["lease", "start", "load", "first_step", "warmup", "window", "flush"],
                         [event["stage"] for event in run.events("stage")])

    def test_a_bad_shape_is_found_before_it_costs_npu_time(self):
        run = self.dry(workload={"entry": "small_network.py:build", "params": {"batch": 0}})
        self.assertEqual("OUTPUT_INVALID", run.status()["error"]["code"])

    def test_a_hooked_module_is_stepped_too(self):
        self.write("program.py", "import small_network, sys\nstep = small_network.build('cpu')\n"
                   "for _ in range(12):\n    step()\n")
        run = self.dry(script="program.py", workload={"way": "hook", "hook": "small_network:Network.forward"})
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual(10, len(run.events("step")))
        self.assertTrue(os.path.exists(os.path.join(run.job["profile_dir"], "cpu_trace.json")))

    def test_two_ranks_through_pytorchs_own_torchrun(self):
        # PyTorch 1.13 on Python 3.11 stumbles over its own default of these options.
        run = self.dry(nproc_per_node=2, ranks=[0, 1], env={"PET_REDIRECTS": "1", "PET_TEE": "1",
                                                            "PET_LOG_DIR": os.path.join(self.scratch, "elastic")})
        self.assertEqual("captured", run.status()["state"], (run.status(), run.log()))
        self.assertEqual(["cpu_operators_rank0.json", "cpu_operators_rank1.json", "cpu_trace_rank0.json",
                          "cpu_trace_rank1.json"], sorted(os.listdir(run.job["profile_dir"])))

    def test_inference_alone_works_too(self):
        self.assertEqual("done", self.dry(purpose="inference").status()["state"])


if __name__ == "__main__":
    unittest.main()
