"""trace_view.json: a bare array of events, times as strings of us with three decimals, process ids packed as CANN's."""

import json
import os

from .faults import fault, hits
from .tables import apis, name_of, us

PROCESSES = {"CANN": 7, "Ascend Hardware": 13, "Overlap Analysis": 23}


def packed(pid, process):
    return (pid << 10) | (PROCESSES[process] << 5)


def write(folder, raw, numbered):
    if not raw["kernels"] or hits("missing_file", "trace_view.json"):
        return
    text = json.dumps(events(raw, numbered))
    if fault("truncated_trace") is not None:
        text = text[:len(text) * 2 // 3]
    path = os.path.join(folder, "trace_view.json")
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o640)
    if hits("stale_output", "trace_view.json"):
        os.utime(path, (1000000000, 1000000000))


def events(raw, numbered):
    pid, thread = raw["pid"], raw["thread"]
    cann, hardware, overlap = (packed(pid, name) for name in PROCESSES)
    deep = raw["level"] != "Level0"
    found = framework(raw, numbered, pid, thread)
    found += metadata(pid, "Python", "CPU", 0, {thread: "Thread %d" % thread})
    found += metadata(hardware, "Ascend Hardware", "NPU", 13, {2: "Stream 2"})
    found += metadata(overlap, "Overlap Analysis", "NPU", 23, {0: "Computing", 1: "Communication",
                                                               2: "Communication(Not Overlapped)", 3: "Free"})
    if deep:
        found += metadata(cann, "CANN", "CPU", 7, {thread: "Thread %d" % thread})
    before = None
    for index, kernel in enumerate(raw["kernels"]):
        started, duration = us(kernel["started"]), (kernel["ended"] - kernel["started"]) / 1000.0
        flow = index + 1
        if deep:
            found += calls(kernel, cann, thread, flow)
        found.append({"name": name_of(kernel), "pid": hardware, "tid": 2, "ts": started, "dur": duration, "ph": "X",
                      "args": {"Model Id": 4294967295, "Task Type": kernel["core"], "Stream Id": 2, "Task Id": index,
                               "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": flow}})
        found.append({"name": "Computing", "pid": overlap, "tid": 0, "ts": started, "dur": duration, "ph": "X"})
        if before is not None and kernel["started"] > before:
            found.append({"name": "Free", "pid": overlap, "tid": 3, "ts": us(before),
                          "dur": (kernel["started"] - before) / 1000.0, "ph": "X"})
        before = kernel["ended"]
        if "CPU" in raw["activities"]:
            found.append({"ph": "s", "bp": "e", "name": "async_npu", "id": flow, "pid": pid, "tid": thread,
                          "ts": us(kernel["begun"]), "cat": "async_npu"})
            found.append({"ph": "f", "bp": "e", "name": "async_npu", "id": flow, "pid": hardware, "tid": 2, "ts": started,
                          "cat": "async_npu"})
    return found


def framework(raw, numbered, pid, thread):
    if "CPU" not in raw["activities"]:
        return []
    found = []
    for step, begun, ended in raw["steps"] if numbered else []:
        found.append({"ph": "X", "name": "ProfilerStep#%d" % step, "pid": pid, "tid": thread, "ts": us(begun),
                      "dur": (ended - begun) / 1000.0, "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0}})
    for number, kernel in enumerate(raw["kernels"]):
        args = {"Sequence number": number, "Fwd thread id": 0}
        if raw["with"]["record_shapes"]:
            args["Input Dims"] = ";\r\n".join(",".join(map(str, part)) for part in kernel["inputs"])
            args["Input type"] = ";\r\n".join(["float"] * len(kernel["inputs"]))
        if raw["with"]["with_stack"]:
            args["Call stack"] = ";\r\n".join(kernel["stack"])
        found.append({"ph": "X", "name": "aten::" + kernel["operator"], "pid": pid, "tid": thread,
                      "ts": us(kernel["begun"]), "dur": (kernel["ended"] - kernel["begun"]) / 1000.0, "cat": "cpu_op",
                      "args": args})
    return found


def calls(kernel, cann, thread, flow):
    found = []
    at = kernel["begun"]
    for level, name, duration in apis(kernel):
        label, start = ("AscendCL@", at) if level == "acl" else ("Node@", kernel["started"] - duration)
        if name in ("aclopCompileAndExecute", "opCompile"):
            start = kernel["begun"]
        else:
            at += duration
        found.append({"name": label + name, "pid": cann, "tid": thread, "ts": us(start), "dur": duration / 1000.0,
                      "ph": "X", "args": {"Thread Id": thread, "Mode": name, "level": level, "id": name, "item_id": "0",
                                          "connection_id": flow}})
    return found


def metadata(pid, process, label, sort, threads):
    found = [{"name": "process_name", "pid": pid, "tid": 0, "args": {"name": process}, "ph": "M"},
             {"name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}, "ph": "M"},
             {"name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": sort}, "ph": "M"}]
    for thread, name in threads.items():
        found.append({"name": "thread_name", "pid": pid, "tid": thread, "args": {"name": name}, "ph": "M"})
    return found
