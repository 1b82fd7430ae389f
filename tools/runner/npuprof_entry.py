"""The entry way: function(device=..., **params) builds and returns a callable; one call of that is one step."""

import importlib
import importlib.util
import inspect
import os
import subprocess
import sys

import npuprof_devices as devices
import npuprof_launch as launch
import npuprof_report as report
from npuprof_window import Window


def run(job):
    os.chdir(job["workspace"])
    if job["nproc_per_node"] > 1 and "RANK" not in os.environ:
        return subprocess.call(launch.python_command(job) + [os.path.join(job["run_dir"], "runner.py"), "run", job["run_dir"]],
                               stdin=subprocess.DEVNULL)
    sys.path.insert(0, job["workspace"])
    sys.argv = [job["workload"]["entry"]]
    device = devices.open_device(job, int(os.environ.get("LOCAL_RANK", "0")))
    report.stage("load")
    step = build(job, device)
    Window(job, device, step).run()
    return 0


def build(job, device):
    entry = job["workload"]["entry"]
    function = find(entry, job["workspace"])
    arguments = dict(job["workload"]["params"])
    if job["compile"]:
        if not takes(function, "compile"):
            raise report.Failure("INVALID_ARGUMENTS", "compile was asked for, but %s takes no parameter `compile`; nothing "
                                 "ran" % entry, "Let the function take compile=False and compile its model when it is true.")
        arguments["compile"] = True
    try:
        inspect.signature(function).bind(device=device.device, **arguments)
    except TypeError as error:
        raise report.Failure("INVALID_ARGUMENTS", "%s can't be called with device=... and these params: %s; nothing ran"
                             % (entry, error))
    except ValueError:
        pass  # no signature to be had
    step = function(device=device.device, **arguments)
    if not callable(step):
        raise report.Failure("INVALID_ARGUMENTS", "%s returned %s, not a callable; no step ran"
                             % (entry, type(step).__name__), "Return a function without arguments that runs one step.")
    return step


def takes(function, name):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(parameter.name == name or parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)


def find(entry, workspace):
    """The function that path.py:function or package.module:function names."""
    place, _, name = entry.rpartition(":")
    module = load_file(place, workspace) if place.endswith(".py") else load_module(place)
    value = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = sorted(key for key in vars(module) if callable(getattr(module, key)) and not key.startswith("_"))
            raise report.Failure("INVALID_ARGUMENTS", "%s has no %s; nothing ran. It has: %s"
                                 % (place, name, ", ".join(known[:30]) or "no functions"))
        value = getattr(value, part)
    if not callable(value):
        raise report.Failure("INVALID_ARGUMENTS", "%s is %s, not a function; nothing ran" % (entry, type(value).__name__))
    return value


def load_file(place, workspace):
    path = os.path.realpath(os.path.join(workspace, place))
    if not os.path.isfile(path):
        raise report.Failure("NOT_FOUND", "no file %s; nothing ran" % path)
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise report.Failure("NOT_FOUND", "no module %s on this target's path; nothing ran" % name)
        raise
