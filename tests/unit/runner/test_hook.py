"""The hook way: unchanged programs, one method of which is a step."""

import os
import unittest

import simulated_run

HOOK = "denoise:Denoiser.__call__"
HEAD = "import torch\nfrom denoise import Denoiser\ntorch.npu.set_device('npu:0')\n"


class Hook(simulated_run.RunCase):
    def hooked(self, name="run_1", script="generate.py", hook=HOOK, args=(), **changes):
        return self.finished(name, script=script, workload={"way": "hook", "hook": hook, "args": list(args)}, **changes)

    def phases(self, run):
        return [(event["phase"], event["index"]) for event in run.events("step")]

    def notes(self, run):
        return [event["code"] for event in run.events("note")]

    def test_an_unchanged_program_gives_a_window(self):
        run = self.hooked(args=["--steps", "14", "--device", "npu:{device_id}"], device_ids=[1])
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual([("first", 0), ("warmup", 0), ("arm", 0), ("guard", 0)] + [("active", i) for i in range(5)] +
                         [("after", 0)], self.phases(run))
        self.assertEqual([2, 3, 4, 5, 6], [event["step_id"] for event in run.events("step") if event["phase"] == "active"])
        self.assertEqual([16, 24], run.events("output")[0]["outputs"][0]["shape"])
        self.assertIn(b"generated", run.log())
        self.assertEqual(run.status()["of"], run.status()["step"])
        self.assertTrue(os.path.exists(run.output("kernel_details.csv")))

    def test_a_class_of_the_program_itself(self):
        self.write("own.py", HEAD + "class Mine:\n    class Inner:\n        def step(self, x):\n            return model(x)\n"
                   "model = Denoiser('npu:0', 12, 1)\nx = torch.randn(4, 12, device='npu:0')\n"
                   "for _ in range(12):\n    x = Mine.Inner().step(x)\n")
        run = self.hooked(script="own.py", hook="__main__:Mine.Inner.step")
        self.assertEqual("captured", run.status()["state"], run.status())

    def test_a_spawned_worker_is_hooked_too(self):
        self.write("spawning.py", HEAD + "import multiprocessing\n\ndef work(count):\n    model = Denoiser('npu:0', 12, 1)\n"
                   "    x = torch.randn(4, 12, device='npu:0')\n    for _ in range(count):\n        x = model(x)\n\n"
                   "if __name__ == '__main__':\n    for way in ('spawn',):\n"
                   "        p = multiprocessing.get_context(way).Process(target=work, args=(12,))\n"
                   "        p.start()\n        p.join()\n")
        run = self.hooked(script="spawning.py")
        self.assertEqual("captured", run.status()["state"], run.status())

    def test_a_forked_worker_that_ends_early_keeps_what_it_recorded(self):
        self.write("forking.py", HEAD + "import multiprocessing\n\ndef work():\n    model = Denoiser('npu:0', 12, 1)\n"
                   "    x = torch.randn(4, 12, device='npu:0')\n    for _ in range(6):\n        x = model(x)\n\n"
                   "p = multiprocessing.get_context('fork').Process(target=work)\np.start()\np.join()\n")
        run = self.hooked(script="forking.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertIn("TOO_FEW_STEPS", self.notes(run))

    def test_generators_async_and_nested_calls_are_one_step_each(self):
        kinds = {
            "generator": "    def step(self, x):\n        got = yield model(x)\n        assert got == 'sent', got\n        return model(x)\n",
            "coroutine": "    async def step(self, x):\n        await asyncio.sleep(0)\n        return model(x)\n",
            "stream": "    async def step(self, x):\n        yield model(x)\n        await asyncio.sleep(0)\n        yield model(x)\n",
            "nested": "    def step(self, x, again=True):\n        if again:\n            self.step(x, False)\n        return model(x)\n",
            "static": "    @staticmethod\n    def step(x):\n        return model(x)\n",
            "returned": "    def step(self, x):\n        return (model(x) for _ in range(2))\n",
        }
        drive = {
            "generator": "def drive(g):\n    next(g)\n    try:\n        g.send('sent')\n    except StopIteration as e:\n        return e.value\n"
                         "import inspect; assert inspect.isgeneratorfunction(Kind.step)\n",
            "coroutine": "drive = asyncio.run\nassert asyncio.iscoroutinefunction(Kind.step)\n",
            "stream": "def drive(s):\n    async def all():\n        return [p async for p in s]\n    return asyncio.run(all())[-1]\n",
            "nested": "drive = lambda v: v\n", "static": "drive = lambda v: v\n", "returned": "drive = lambda g: list(g)[-1]\n",
        }
        for kind, method in kinds.items():
            with self.subTest(kind):
                self.write(kind + "_kind.py", HEAD + "import asyncio\nmodel = Denoiser('npu:0', 8, 1)\nclass Kind:\n" + method +
                           drive[kind] + "x = torch.randn(4, 8, device='npu:0')\nfor _ in range(10):\n"
                           "    assert drive(Kind().step(x)) is not None\nprint('all well')\n")
                run = self.hooked(kind, script=kind + "_kind.py", hook="__main__:Kind.step")
                self.assertEqual("captured", run.status()["state"], (run.status(), run.log()))
                self.assertIn(b"all well", run.log())
                self.assertEqual(10, len(run.events("step")))

    def test_calls_beside_each_other_are_an_overlap(self):
        self.write("beside.py", HEAD + "import threading, time\nclass Kind:\n    def step(self):\n        time.sleep(0.3)\n"
                   "ts = [threading.Thread(target=Kind().step) for _ in range(2)]\n[t.start() for t in ts]\n[t.join() for t in ts]\n")
        run = self.hooked(script="beside.py", hook="__main__:Kind.step")
        self.assertEqual(("failed", "HOOK_OVERLAP"), (run.status()["state"], run.status()["error"]["code"]))

    def test_steps_of_another_thread_are_said(self):
        self.write("threads.py", HEAD + "import threading\nmodel = Denoiser('npu:0', 8, 1)\nx = torch.randn(4, 8, device='npu:0')\n"
                   "for _ in range(10):\n    t = threading.Thread(target=model, args=(x,))\n    t.start()\n    t.join()\n")
        run = self.hooked(script="threads.py")
        self.assertEqual("captured", run.status()["state"])
        self.assertIn("HOOK_THREAD", self.notes(run))

    def test_an_exception_in_a_step_is_the_programs_own_and_noted(self):
        self.write("raising.py", HEAD + "model = Denoiser('npu:0', 8, 1)\nclass Kind:\n    n = 0\n    def step(self, x):\n"
                   "        Kind.n += 1\n        if Kind.n == 6:\n            raise KeyError('six')\n        return model(x)\n"
                   "x = torch.randn(4, 8, device='npu:0')\nfor _ in range(10):\n    try:\n        Kind().step(x)\n"
                   "    except KeyError:\n        print('caught')\n")
        run = self.hooked(script="raising.py", hook="__main__:Kind.step")
        self.assertEqual("captured", run.status()["state"])
        self.assertIn("STEP_RAISED", self.notes(run))
        self.assertIn(b"caught", run.log())

    def test_too_few_calls_keep_what_was_captured(self):
        run = self.hooked(args=["--steps", "6"])
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertEqual(2, [event for event in run.events("note") if event["code"] == "TOO_FEW_STEPS"][0]["data"]["active_steps"])

    def test_too_few_calls_to_record_anything_are_an_error(self):
        run = self.hooked(args=["--steps", "1"])
        self.assertEqual("TOO_FEW_STEPS", run.status()["error"]["code"])
        self.assertIn("nothing was recorded", run.status()["error"]["message"])

    def test_a_hook_that_does_not_exist_is_named(self):
        for hook in ("denoise:Denoiser.nothing", "denoise:Nobody.step", "no.such.module:Class.method", "__main__:Nobody.step"):
            with self.subTest(hook):
                run = self.hooked("bad%d" % len(self.runs), hook=hook)
                self.assertEqual(("failed", "HOOK_NOT_FOUND"), (run.status()["state"], run.status()["error"]["code"]))

    def test_a_hook_that_is_never_called_is_said(self):
        run = self.hooked(args=["--steps", "0"])
        self.assertEqual("HOOK_NEVER_CALLED", run.status()["error"]["code"])

    def test_a_program_killed_after_the_window_was_written_is_captured(self):
        self.write("killed.py", "import os, signal\nimport generate\ngenerate.main()\nos.kill(os.getpid(), signal.SIGKILL)\n")
        run = self.hooked(script="killed.py")
        self.assertEqual("captured", run.status()["state"], run.status())
        self.assertIn("EXIT_NOT_ZERO", self.notes(run))

    def test_a_program_killed_inside_the_window_is_exported_as_far_as_that_goes(self):
        self.write("killed.py", "import os, signal, sys\nimport generate\nsys.argv += ['--steps', '6']\ngenerate.main()\n"
                   "os.kill(os.getpid(), signal.SIGKILL)\n")
        run = self.hooked(script="killed.py")
        self.assertIn("KILLED_MID_CAPTURE", self.notes(run))
        self.assertEqual("EXPORT_FAILED", run.status()["error"]["code"])  # the simulated profiler writes at the flush only

    def test_the_programs_own_sitecustomize_still_runs(self):
        os.makedirs(os.path.join(self.workspace, "extra"))
        self.write("extra/sitecustomize.py", "print('site of its own')\n")
        run = self.hooked(env={"PYTHONPATH": os.pathsep.join([os.path.join(self.workspace, "extra"), os.path.join(
            simulated_run.SIMULATED, "python")])})
        self.assertEqual("captured", run.status()["state"])
        self.assertIn(b"site of its own", run.log())


if __name__ == "__main__":
    unittest.main()
