"""The hook way, above the program: starts it unchanged with the hook on its module search path, and says how it ended."""

import os
import subprocess
import sys

import npuprof_found as found
import npuprof_launch as launch
import npuprof_report as report

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = '''"""Installs npuprof's hook in every Python process of the run, then hands over to the sitecustomize that was there."""

import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_run_dir = os.environ.get("NPUPROF_HOOK")
if _run_dir:
    _write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, _run_dir)
    try:
        import npuprof_hook
        npuprof_hook.install(_run_dir)
        import npuprof_session  # while its modules can be found
    except Exception as problem:
        sys.stderr.write("npuprof: no hook in process %d: %s: %s\\n" % (os.getpid(), type(problem).__name__, problem))
    finally:
        sys.path.remove(_run_dir)
        sys.dont_write_bytecode = _write

sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _here]
sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # noqa: F401
except ImportError:
    pass
'''


def run(job):
    workload = job["workload"]
    if ":" not in workload["hook"]:
        raise report.Failure("INVALID_ARGUMENTS", "%s is no hook: package.module:Class.method is one; nothing ran"
                             % workload["hook"])
    os.chdir(job["workspace"])
    report.stage("load")
    command = launch.python_command(job) + [workload["script"]] + launch.filled(job, workload["args"])
    status = subprocess.call(command, stdin=subprocess.DEVNULL, env=environment(job["run_dir"]))
    return judge(job, status)


def environment(run_dir):
    site = os.path.join(run_dir, "site")
    os.makedirs(site, exist_ok=True)
    with open(os.path.join(site, "sitecustomize.py"), "w") as file:
        file.write(SITE)
    paths = [site] + [path for path in [os.environ.get("PYTHONPATH")] if path]
    return dict(os.environ, PYTHONPATH=os.pathsep.join(paths), NPUPROF_HOOK=run_dir)


def judge(job, status):
    """What the program's end means. What its processes reported themselves comes before this."""
    run_dir, hook = job["run_dir"], job["workload"]["hook"]
    how = "exit status %d" % status if status >= 0 else "signal %d" % -status
    marks = os.listdir(run_dir)
    if "hook_flushed" in marks:
        if status:
            report.note("EXIT_NOT_ZERO", "the program ended with %s after the window was written" % how)
        return 0
    if "hook_found" not in marks:
        raise report.Failure("HOOK_NOT_FOUND", "the program ended with %s and never made %s" % (how, hook),
                             "Name the module that defines the class (not one that imports it), or __main__:Class.method "
                             "for a class of the program's own file.")
    if not any(name.startswith("hook_rank_") for name in marks):
        raise report.Failure("HOOK_NEVER_CALLED", "the program ended with %s and never called %s" % (how, hook),
                             "Hook a method that the program really calls.")
    if found.profile_folders(job["profile_dir"]):
        report.note("KILLED_MID_CAPTURE", "the program ended with %s before the profiler had written all" % how)
        return 0
    raise report.Failure("WORKLOAD_FAILED", "the program ended with %s before the window was over" % how)
