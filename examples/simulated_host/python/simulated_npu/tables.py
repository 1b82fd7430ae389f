"""The CSV tables of ASCEND_PROFILER_OUTPUT, with CANN 8.2's columns and manners: CRLF from Python's csv module, a TAB
behind start times, times in us with three decimals, shapes in quotes of their own."""

import csv
import os

from .faults import hits

BASE = ["Model ID", "Task ID", "Stream ID", "Name", "Type", "OP State", "Accelerator Core", "Start Time(us)",
        "Duration(us)", "Wait Time(us)", "Block Dim", "Mix Block Dim", "HF32 Eligible", "Input Shapes",
        "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats", "Context ID"]
PIPE = ["aicore_time(us)", "aic_total_cycles", "aic_mac_time(us)", "aic_mac_ratio", "aic_scalar_time(us)",
        "aic_scalar_ratio", "aic_mte1_time(us)", "aic_mte1_ratio", "aic_mte2_time(us)", "aic_mte2_ratio",
        "aic_fixpipe_time(us)", "aic_fixpipe_ratio", "aic_icache_miss_rate", "aiv_time(us)", "aiv_total_cycles",
        "aiv_vec_time(us)", "aiv_vec_ratio", "aiv_scalar_time(us)", "aiv_scalar_ratio", "aiv_mte2_time(us)",
        "aiv_mte2_ratio", "aiv_mte3_time(us)", "aiv_mte3_ratio", "aiv_icache_miss_rate", "cube_utilization(%)"]
SHORT = ["Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim"]
STEP = ["Device_id", "Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication", "Free",
        "Stage", "Bubble", "Communication(Not Overlapped and Exclude Receive)", "Preparing"]
OPERATOR = ["Name", "Input Shapes", "Call Stack", "Host Self Duration(us)", "Host Total Duration(us)",
            "Device Self Duration(us)", "Device Total Duration(us)", "Device Self Duration With AICore(us)",
            "Device Total Duration With AICore(us)"]
MEMORY = ["Name", "Size(KB)", "Allocation Time(us)", "Release Time(us)", "Active Release Time(us)", "Duration(us)",
          "Active Duration(us)", "Allocation Total Allocated(MB)", "Allocation Total Reserved(MB)",
          "Allocation Total Active(MB)", "Release Total Allocated(MB)", "Release Total Reserved(MB)",
          "Release Total Active(MB)", "Stream Ptr", "Device Type"]
RECORD = ["Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(MB)", "Total Active(MB)", "Stream Ptr",
          "Device Type"]


def us(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def when(ns):
    return us(ns) + "\t"


def shapes(parts):
    return '"%s"' % ";".join(",".join(map(str, part)) for part in parts)


def write(folder, name, header, rows, newline="\r\n"):
    """As torch_npu's create_csv_file: no file at all where there is no row."""
    if not rows or hits("missing_file", name):
        return
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator=newline)
        writer.writerow(header)
        if not hits("empty_table", name):
            writer.writerows(rows)
    os.chmod(path, 0o640)
    if hits("stale_output", name):
        os.utime(path, (1000000000, 1000000000))


def kernel_details(raw, numbered):
    full = raw["metrics"] != "ACL_AICORE_NONE"
    pipe = raw["metrics"] == "ACL_AICORE_PIPE_UTILIZATION"
    header = ["Step Id"] * numbered + ["Device_id"] + (BASE + PIPE * pipe if full else SHORT)
    rows = []
    before = None
    for task, kernel in enumerate(raw["kernels"]):
        wait = us(kernel["started"] - before) if before else "0"
        before = kernel["ended"]
        duration = us(kernel["ended"] - kernel["started"])
        step = [kernel["step"] if kernel["step"] is not None else ""] * numbered
        if full:
            row = [4294967295, task, 2, name_of(kernel), kernel["kernel"], "dynamic", kernel["core"],
                   when(kernel["started"]), duration, wait, blocks(kernel), 0, "NO", shapes(kernel["inputs"]),
                   ";".join(["FLOAT"] * len(kernel["inputs"])), ";".join(["ND"] * len(kernel["inputs"])),
                   shapes([kernel["output"]]), "FLOAT", "ND", "N/A"] + pipe_columns(kernel) * pipe
        else:
            row = [name_of(kernel), "N/A", "N/A", when(kernel["started"]), duration, wait, 0]
        rows.append(step + [0] + row)
    return header, rows


def name_of(kernel):
    operator = kernel["operator"].capitalize()
    return "aclnn%s_%s_%s" % (operator, kernel["kernel"], kernel["kernel"])


def blocks(kernel):
    return 24 if kernel["core"] == "AI_CORE" else 40


def pipe_columns(kernel):
    """The share of each pipe is made up; the times and cycles follow from the kernel's duration."""
    duration = (kernel["ended"] - kernel["started"]) / 1000.0

    def part(ratio):
        return ["%.3f" % (duration * ratio), ratio]

    if kernel["core"] == "AI_CORE":
        cube = ["%.3f" % duration, int(duration * 1800 * 24)] + part(0.62) + part(0.05) + part(0.31) + part(0.44)
        return cube + part(0.08) + [0.012] + ["0.0", 0] + ["0.0", "0.0"] * 4 + ["0.0", "59.4"]
    cube = ["0.0", 0] + ["0.0", "0.0"] * 5 + ["0.0"]
    return cube + ["%.3f" % duration, int(duration * 1800 * 40)] + part(0.36) + part(0.06) + part(0.4) + part(0.33) + [0.021, 0]


def step_trace(raw, numbered):
    """One stream that never overlaps itself: Computing + Free = Stage, in ns until the end."""
    ids = [step[0] for step in raw["steps"]] if numbered else [None]
    begins = {step[0]: step[1] for step in raw["steps"]}
    rows = []
    for step in ids:
        kernels = [kernel for kernel in raw["kernels"] if step is None or kernel["step"] == step]
        if not kernels:
            continue
        computing = sum(kernel["ended"] - kernel["started"] for kernel in kernels)
        stage = kernels[-1]["ended"] - kernels[0]["started"]
        preparing = kernels[0]["started"] - (begins[step] if step is not None else kernels[0]["begun"])
        rows.append([0, "" if step is None else step, us(computing), 0, 0, 0, us(stage - computing), us(stage), 0, 0,
                     us(preparing)])
    return STEP, rows


def operator_details(raw):
    rows = []
    for kernel in raw["kernels"]:
        host = us(kernel["ended"] - kernel["begun"])
        device = us(kernel["ended"] - kernel["started"])
        aicore = device if kernel["core"] == "AI_CORE" else 0
        call_stack = ";\n".join(kernel["stack"]) if raw["with"]["with_stack"] else ""
        dims = shapes(kernel["inputs"]) if raw["with"]["record_shapes"] else ""
        rows.append(["aten::" + kernel["operator"], dims, call_stack, host, host, device, device, aicore, aicore])
    return OPERATOR, rows


def statistic(groups, header):
    """Count, total, min, average and max of each group's durations in ns; the share where the header asks for one."""
    total = sum(sum(durations) for durations in groups.values()) or 1
    rows = []
    for key, durations in sorted(groups.items(), key=lambda item: -sum(item[1])):
        average = sum(durations) / len(durations)
        figures = [len(durations), us(sum(durations))]
        if header[-1] == "Ratio(%)":
            rows.append(list(key) + figures + [us(min(durations)), us(int(average)), us(max(durations)),
                                               "%.3f" % (100.0 * sum(durations) / total)])
        else:
            variance = sum((duration - average) ** 2 for duration in durations) / len(durations) / 1e6
            rows.append(list(key) + [figures[1], figures[0], us(int(average)), us(min(durations)), us(max(durations)),
                                     "%.3f" % variance])
    return header, rows


def op_statistic(raw):
    groups = {}
    for kernel in raw["kernels"]:
        groups.setdefault((0, kernel["kernel"], kernel["core"]), []).append(kernel["ended"] - kernel["started"])
    return statistic(groups, ["Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)",
                              "Avg Time(us)", "Max Time(us)", "Ratio(%)"])


def api_statistic(raw):
    groups = {}
    for kernel in raw["kernels"]:
        for level, name, duration in apis(kernel):
            groups.setdefault(("host", level, name), []).append(duration)
    return statistic(groups, ["Device_id", "Level", "API Name", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)",
                              "Variance"])


def apis(kernel):
    """(level, name, ns) of the CANN calls behind one operator."""
    name = "aclnn" + kernel["operator"].capitalize()
    calls = [("acl", name + "GetWorkspaceSize", 3000 + kernel["compile"]), ("acl", name, 6000), ("node", "launch", 4000)]
    if kernel["compile"]:
        calls.append(("acl", "aclopCompileAndExecute", kernel["compile"]))
        calls.append(("acl", "opCompile", kernel["compile"] - 1000))
    return calls


def operator_memory(raw):
    rows = []
    for kernel in raw["kernels"]:
        size = 4
        for length in kernel["output"]:
            size *= length
        total = "%.4f" % (kernel["allocated"] / 1048576.0)
        rows.append(["aten::" + kernel["operator"], size / 1024.0, when(kernel["begun"]), when(kernel["ended"]),
                     when(kernel["ended"]), us(kernel["ended"] - kernel["begun"]) + "\t",
                     us(kernel["ended"] - kernel["begun"]) + "\t", total, "64.0", total, total, "64.0", total, 187650000,
                     "NPU:0"])
    return MEMORY, rows


def memory_record(raw):
    rows = []
    for kernel in raw["kernels"]:
        total = "%.4f" % (kernel["allocated"] / 1048576.0)
        rows.append(["PTA", when(kernel["begun"]), total, "64.0", total, 187650000, "NPU:0"])
    return RECORD, rows
