"""The stand-ins of the simulated host have no name, parameter or default that the real torch_npu lacks; and the runner
uses only what every release has."""

import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
import unittest

import simulated_run

SURFACE = os.path.join(simulated_run.PROJECT, "..", "shared", "data", "torch_npu", "profiler_api.json")
CLAIMS = "2.6.0-7.1.0"  # the release that the stand-in says it is

if not os.path.exists(SURFACE):
    sys.stderr.write("ALL SKIPPED: no %s here\n" % SURFACE)
    raise unittest.SkipTest("no %s here" % SURFACE)

with open(SURFACE) as _file:
    VERSIONS = json.load(_file)["versions"]


def public(module):
    return {name: value for name, value in vars(module).items()
            if not name.startswith("_") and not inspect.ismodule(value) and
            getattr(value, "__module__", "") == module.__name__}


class StandIn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, os.path.join(simulated_run.SIMULATED, "python"))
        import torch
        cls.assertTrue(torch.__file__.startswith(simulated_run.SIMULATED), "not the stand-in: %s" % torch.__file__)
        cls.surface = VERSIONS[CLAIMS]

    def check_signature(self, function, parameters, where):
        real = {parameter["name"]: parameter for parameter in parameters}
        for name, parameter in inspect.signature(function).parameters.items():
            if name == "self":
                continue
            self.assertIn(name, real, "%s takes %s, the real one does not" % (where, name))
            self.assertEqual("default" in real[name], parameter.default is not parameter.empty, "%s, %s" % (where, name))
            self.assertEqual(bool(real[name].get("keyword_only")), parameter.kind == parameter.KEYWORD_ONLY,
                             "%s, %s" % (where, name))
            try:
                wanted = ast.literal_eval(real[name].get("default", "None"))
            except ValueError:
                continue  # a name of the real one's own constants
            if "default" in real[name]:
                self.assertEqual(wanted, parameter.default, "%s, default of %s" % (where, name))

    def check_module(self, stand_in, real):
        module = importlib.import_module(stand_in)
        for name, value in list(public(module).items()) + [("_ExperimentalConfig", vars(module).get("_ExperimentalConfig"))]:
            if value is None:
                continue
            where = "%s.%s" % (stand_in, name)
            self.assertIn(name, real, where)
            if real[name]["kind"] == "function":
                self.check_signature(value, real[name]["parameters"], where)
                continue
            if "parameters" in real[name]:
                self.check_signature(value.__init__, real[name]["parameters"], where)
            methods = dict(real.get("_KinetoProfile", {}).get("methods", {}), **real[name].get("methods", {}))
            known = set(methods) | set(real[name].get("members", {}))
            for member, thing in vars(value).items():
                if member.startswith("_") or member in ("name", "value"):
                    continue
                self.assertIn(member, known, where)
                if inspect.isfunction(thing):
                    self.check_signature(thing, methods[member], where + "." + member)

    def test_the_profiler_package_exports_nothing_else(self):
        profiler = importlib.import_module("torch_npu.profiler")
        self.assertLessEqual(set(profiler.__all__), set(self.surface["torch_npu.profiler.__all__"]))

    def test_the_profiler_has_no_name_parameter_or_default_of_its_own(self):
        self.check_module("torch_npu.profiler.profiler", self.surface["torch_npu.profiler.profiler"])

    def test_the_configuration_has_no_name_parameter_or_default_of_its_own(self):
        self.check_module("torch_npu.profiler.experimental_config", self.surface["torch_npu.profiler.experimental_config"])

    def test_the_schedule_has_no_name_parameter_or_default_of_its_own(self):
        self.check_module("torch_npu.profiler.scheduler", self.surface["torch_npu.profiler.scheduler"])

    def test_torch_npu_has_no_function_of_its_own(self):
        # The surface holds a part of each release's names only, not the same part everywhere.
        real = {}
        for surface in VERSIONS.values():
            real.update(surface["torch.npu (part)"])
            real.update(surface["torch.npu memory (part)"])
        import torch
        for name, function in public(torch.npu).items():
            self.assertIn(name, real)
            self.check_signature(function, real[name]["parameters"], "torch.npu." + name)


class RealTorch(unittest.TestCase):
    PYTHON = "/usr/bin/python3"

    def test_torch_has_no_name_of_its_own(self):
        code = "import torch, json; print(json.dumps([dir(torch), dir(torch.Tensor)]))"
        try:
            answer = subprocess.run([self.PYTHON, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        except OSError:
            answer = None
        if answer is None or answer.returncode:
            self.skipTest("no PyTorch here (Debian's python3-torch)")
        of_module, of_tensor = map(set, json.loads(answer.stdout.decode()))
        with open(os.path.join(simulated_run.SIMULATED, "python", "torch", "__init__.py")) as file:
            tree = ast.parse(file.read())
        names = set()
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        newer = {"compile"}  # PyTorch 2.0; Debian's is 1.13
        self.assertLessEqual({name for name in names if not name.startswith("_")} - newer, of_module)
        tensor = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
        methods = {node.name for node in tensor.body if isinstance(node, ast.FunctionDef)}
        self.assertLessEqual({name for name in methods if not name.startswith("_")}, of_tensor)


class Runner(unittest.TestCase):
    """The runner's calls, read from its source, held against every release."""

    def calls(self):
        with open(os.path.join(simulated_run.PYTHON_FILES, "npuprof_recorders.py")) as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if isinstance(node.func.value, ast.Name) and node.func.value.id == "npu_profiler":
                    yield node.func.attr, [keyword.arg for keyword in node.keywords], len(node.args)

    def test_the_runner_uses_what_every_release_has(self):
        calls = list(self.calls())
        self.assertEqual({"_ExperimentalConfig", "tensorboard_trace_handler", "profile", "schedule"},
                         {name for name, _, _ in calls})
        for version, surface in VERSIONS.items():
            real = dict(surface["torch_npu.profiler.profiler"], **surface["torch_npu.profiler.experimental_config"])
            real["schedule"] = surface["torch_npu.profiler.scheduler"]["Schedule"]
            for name, keywords, positional in calls:
                parameters = [parameter["name"] for parameter in real[name]["parameters"]]
                self.assertIn(name, surface["torch_npu.profiler.__all__"], version)
                self.assertLessEqual(set(keywords), set(parameters), (version, name))
                self.assertLessEqual(positional, len(parameters))
            self.assertEqual("profiler_path", real["analyse"]["parameters"][0]["name"], version)
            self.assertLessEqual({"Level0", "Level1", "Level2"}, set(real["ProfilerLevel"]["members"]), version)
            self.assertIn("AiCoreNone", real["AiCMetrics"]["members"], version)
            self.assertIn("Text", real["ExportType"]["members"], version)
            self.assertIn("synchronize", surface["torch.npu (part)"], version)
            self.assertIn("set_device", surface["torch.npu (part)"], version)
            self.assertLessEqual({"max_memory_allocated", "reset_peak_memory_stats"},
                                 set(surface["torch.npu memory (part)"]), version)


if __name__ == "__main__":
    unittest.main()
