"""Runs inside the workload's process (or, for a program that profiles itself, above it). Started by the supervisor.

    runner.py run <run_dir>       the workload of job.json
    runner.py export <folder>...  torch_npu's offline export of captured *_ascend_pt folders, in this fresh process

Standard library only, Python >= 3.8. What it finds out goes to the supervisor as JSON lines (npuprof_report).
"""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


def own_modules():
    """Imports what npuprof brought along, then leaves the module search path as the workload expects it."""
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path[:] = [HERE] + [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    import npuprof_entry
    import npuprof_program
    import npuprof_report
    import npuprof_script
    import npuprof_service
    sys.path.remove(HERE)
    sys.dont_write_bytecode = write_bytecode
    ways = {"entry": npuprof_entry.run, "hook": npuprof_program.run, "script": npuprof_script.run,
            "service": npuprof_service.run}
    return ways, npuprof_report


def run(run_dir):
    import json
    with open(os.path.join(run_dir, "job.json")) as file:
        job = json.load(file)
    ways, report = own_modules()
    way = job["workload"]["way"]
    try:
        if way not in ways:
            raise report.Failure("INVALID_ARGUMENTS", "the way %r is not known to this runner; nothing ran" % way)
        return ways[way](job)
    except report.Failure as failure:
        report.error(failure.code, str(failure), failure.remedy)
        return 1
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        if isinstance(problem, SystemExit) and problem.code in (None, 0):
            report.error("WORKLOAD_FAILED", "the workload called sys.exit() in stage %s" % report.stage_now())
            return 1
        print_traceback(problem)
        report.error("WORKLOAD_FAILED", "%s: %s (in stage %s)" % (type(problem).__name__, problem, report.stage_now()))
        return 1


def print_traceback(problem):
    """Without the frames that are npuprof's own, which lie in front of the workload's."""
    frames = problem.__traceback__
    while frames.tb_next is not None and os.path.dirname(frames.tb_frame.f_code.co_filename) == HERE:
        frames = frames.tb_next
    traceback.print_exception(type(problem), problem, frames)


def export(folders):
    import torch_npu
    import torch_npu.profiler.profiler
    print("npuprof: export with torch_npu %s" % getattr(torch_npu, "__version__", "unknown"), flush=True)
    for folder in folders:
        torch_npu.profiler.profiler.analyse(folder)
    return 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "run":
        return run(arguments[1])
    if len(arguments) >= 2 and arguments[0] == "export":
        return export(arguments[1:])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
