"""The export: raw data in, ASCEND_PROFILER_OUTPUT out, in the manner of torch_npu's analyse: whatever goes wrong is
printed, nothing is raised, the exit code stays 0, and "done" is said in any case."""

import json
import os
import shutil
import sys

from . import tables, trace
from .capture import RAW
from .faults import fault


def export(folder):
    raw = read(folder)
    if raw is None:
        print("[ERROR] No profiling data in %s" % folder, flush=True)
        return
    if fault("export_fails") is not None or fault("export_hangs") is not None:
        print("[ERROR] Failed to get acl to npu flow events", flush=True)
        while fault("export_hangs") is not None:
            __import__("time").sleep(1)
    else:
        output = os.path.join(folder, "ASCEND_PROFILER_OUTPUT")
        shutil.rmtree(output, ignore_errors=True)
        os.makedirs(output, 0o750)
        if fault("empty_export") is None and "text" in raw["export_type"]:
            write(output, raw)
    print("[INFO] All profiling data parsed in a total time of 0:00:00.100000", flush=True)


def read(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "device_0", RAW)
        if name.startswith("PROF_") and os.path.isfile(path):
            with open(path) as file:
                return json.load(file)
    return None


def write(output, raw):
    numbered = bool(raw["steps"])
    lost = int(fault("lost_steps") or 1) if fault("lost_steps") is not None else 0
    if lost and numbered:
        gone = {step[0] for step in raw["steps"][-lost:]}
        raw["steps"] = raw["steps"][:-lost]
        raw["kernels"] = [kernel for kernel in raw["kernels"] if kernel["step"] not in gone]
    if numbered and fault("spillover") is not None:
        for kernel in raw["kernels"][:3]:
            kernel["step"] = None
    tables.write(output, "kernel_details.csv", *tables.kernel_details(raw, numbered))
    if fault("step_mismatch") is not None:
        raw = dict(raw, steps=raw["steps"][:-1])
    tables.write(output, "step_trace_time.csv", *tables.step_trace(raw, numbered))
    if "CPU" in raw["activities"]:
        tables.write(output, "operator_details.csv", *tables.operator_details(raw))
    if raw["level"] != "Level0":
        tables.write(output, "op_statistic.csv", *tables.op_statistic(raw), newline="\n")
        tables.write(output, "api_statistic.csv", *tables.api_statistic(raw), newline="\n")
    if raw["with"]["profile_memory"]:
        tables.write(output, "operator_memory.csv", *tables.operator_memory(raw))
        tables.write(output, "memory_record.csv", *tables.memory_record(raw))
    trace.write(output, raw, numbered)
    sys.stdout.flush()
