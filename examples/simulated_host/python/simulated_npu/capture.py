"""What the profiler writes while it records: the folder as torch_npu lays it out, with raw data of our own format in it.

The raw data of a real host is binary and CANN's; here it is one JSON file that says it is simulated.
"""

import json
import os
import threading
import time

RAW = "simulated.json"


def write(folder, recording, profiler):
    now = time.time_ns()
    prof = os.path.join(folder, "PROF_000001_%s_SIMULATED%08X" % (time.strftime("%Y%m%d%H%M%S000", time.gmtime(now // 10**9)),
                                                                 os.getpid()))
    for part in ("host", "device_0", "mindstudio_profiler_log"):
        os.makedirs(os.path.join(prof, part), 0o750, exist_ok=True)
    os.makedirs(os.path.join(folder, "FRAMEWORK"), 0o750, exist_ok=True)
    os.makedirs(os.path.join(folder, "logs"), 0o750, exist_ok=True)
    put(os.path.join(prof, "device_0", RAW), {
        "simulated": True, "pid": os.getpid(), "thread": threading.get_ident() % 1000000, "steps": recording.steps,
        "kernels": recording.kernels, "level": profiler._config._profiler_level,
        "metrics": profiler._config._aic_metrics, "export_type": profiler._config._export_type,
        "activities": sorted(activity.name for activity in profiler._activities), "with": profiler._with})
    put(os.path.join(folder, "profiler_metadata.json"),
        dict(profiler._metadata, ENV_VARIABLES={"ASCEND_LAUNCH_BLOCKING": ""}, simulated_host="true"))
    rank = os.environ.get("RANK")
    info = {
        "config": {
            "common_config": dict({"activities": ["ProfilerActivity." + name for name in sorted(
                activity.name for activity in profiler._activities)],
                "schedule": dict(vars(profiler.schedule)) if getattr(profiler, "schedule", None) else {}},
                **profiler._with),
            "experimental_config": dict(vars(profiler._config)),
        },
        "start_info": {"syscnt_enable": True, "freq": 100, "start_cnt": time.monotonic_ns() // 10,
                       "start_monotonic": time.monotonic_ns()},
        "end_info": {"collectionTimeEnd": now, "MonotonicTimeEnd": time.monotonic_ns()},
        "torch_npu_version": "2.6.0",
        "cann_version": "8.2.RC1",
    }
    if rank is not None:
        info["rank_id"] = rank
    put(os.path.join(folder, "profiler_info%s.json" % ("_" + rank if rank is not None else "")), info)


def put(path, document):
    with open(path, "w") as file:
        json.dump(document, file, indent=4)
    os.chmod(path, 0o640)
