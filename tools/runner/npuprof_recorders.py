"""The profilers that record a window: torch_npu's on an NPU, PyTorch's own in a dry run on the CPU.

Both count every step from 0, so with schedule(wait=0, warmup=1, active=N, repeat=1) the arm step is ProfilerStep#0 and
the recorded ones are #1 .. #N.
"""

import json
import os

import npuprof_found as found
import npuprof_report as report
from npuprof_ranks import rank_of

LEVELS = {"l0": "Level0", "l1": "Level1", "l2": "Level2"}
ARM_STEPS = 1


def open_recorder(job, device, recorded):
    return (CpuRecorder if job["backend"] == "cpu" else NpuRecorder)(job, device, recorded)


class NpuRecorder:
    def __init__(self, job, device, recorded):
        self.job = job
        wanted = job["profiler"]
        npu_profiler = device.torch_npu.profiler
        metrics = metrics_of(wanted, npu_profiler)
        activities = activities_of(job)
        config = npu_profiler._ExperimentalConfig(
            profiler_level=getattr(npu_profiler.ProfilerLevel, LEVELS[wanted["level"]]),
            aic_metrics=getattr(npu_profiler.AiCMetrics, metrics), export_type=npu_profiler.ExportType.Text)
        handler = npu_profiler.tensorboard_trace_handler(job["profile_dir"], worker_name="npuprof_rank%d" % rank_of(), analyse_flag=False)
        report.profiler({"level": wanted["level"], "aic_metrics": metrics, "activities": activities,
                         "with_stack": wanted["with_stack"], "record_shapes": wanted["record_shapes"],
                         "profile_memory": wanted["profile_memory"], "directory": job["profile_dir"],
                         "torch": getattr(device.torch, "__version__", ""),
                         "torch_npu": getattr(device.torch_npu, "__version__", ""),
                         "first_step_id": ARM_STEPS + job["window"]["guard_steps"]})
        self.profiler = npu_profiler.profile(
            activities=[getattr(npu_profiler.ProfilerActivity, name.upper()) for name in activities],
            schedule=npu_profiler.schedule(wait=0, warmup=ARM_STEPS, active=recorded, repeat=1),
            on_trace_ready=handler, record_shapes=wanted["record_shapes"], profile_memory=wanted["profile_memory"],
            with_stack=wanted["with_stack"], experimental_config=config)
        self.start, self.step, self.stop = self.profiler.start, self.profiler.step, self.profiler.stop

    def written(self):
        """What was captured; empty where there is nothing."""
        own = "npuprof_rank%d_" % rank_of()
        return [found.raw_of(folder) for folder in found.profile_folders(self.job["profile_dir"])
                if os.path.basename(folder).startswith(own)]


def metrics_of(wanted, npu_profiler):
    metrics = "AiCoreNone" if wanted["level"] == "l0" else wanted["aic_metrics"]
    if not hasattr(npu_profiler.AiCMetrics, metrics):
        known = sorted(name for name in vars(npu_profiler.AiCMetrics) if not name.startswith("_"))
        raise report.Failure("INVALID_ARGUMENTS", "this torch_npu has no aic_metrics %s, it has %s; nothing was recorded"
                             % (metrics, ", ".join(known)))
    return metrics


def activities_of(job):
    activities = list(job["profiler"]["activities"])
    if job["window"]["guard_steps"] and "cpu" not in activities:
        # Step ids come from the framework's events: without them guard and window can't be told apart.
        activities.append("cpu")
        report.note("ACTIVITIES_EXTENDED", "recorded cpu beside npu: without it the profiler numbers no steps, and guard "
                    "steps can't be told from the window (guard_steps=0 records npu alone)")
    return activities


class CpuRecorder:
    """A dry run: a Chrome trace and the operators' times of PyTorch on the CPU. No CANN table is pretended."""

    def __init__(self, job, device, recorded):
        rank = "_rank%d" % rank_of() if job["nproc_per_node"] > 1 else ""
        self.trace, self.operators = "cpu_trace%s.json" % rank, "cpu_operators%s.json" % rank
        wanted = job["profiler"]
        self.directory = job["profile_dir"]
        self.torch = device.torch
        profiler = device.torch.profiler
        report.profiler({"backend": "cpu", "with_stack": wanted["with_stack"], "record_shapes": wanted["record_shapes"],
                         "profile_memory": wanted["profile_memory"], "directory": self.directory,
                         "torch": device.torch.__version__, "first_step_id": ARM_STEPS + job["window"]["guard_steps"]})
        self.profiler = profiler.profile(
            activities=[profiler.ProfilerActivity.CPU],
            schedule=profiler.schedule(wait=0, warmup=ARM_STEPS, active=recorded, repeat=1),
            on_trace_ready=self.save, record_shapes=wanted["record_shapes"], profile_memory=wanted["profile_memory"],
            with_stack=wanted["with_stack"])
        self.start, self.step, self.stop = self.profiler.start, self.profiler.step, self.profiler.stop

    def save(self, profiler):
        profiler.export_chrome_trace(os.path.join(self.directory, self.trace))
        operators = [{"name": event.key, "calls": event.count, "cpu_us": event.cpu_time_total,
                      "self_cpu_us": event.self_cpu_time_total, "input_shapes": event.input_shapes or None}
                     for event in profiler.key_averages(group_by_input_shape=True)]
        operators.sort(key=lambda operator: -operator["self_cpu_us"])
        with open(os.path.join(self.directory, self.operators), "w") as file:
            json.dump({"backend": "cpu", "torch": self.torch.__version__, "operators": operators}, file, indent=1)

    def written(self):
        paths = [os.path.join(self.directory, name) for name in (self.trace, self.operators)]
        return [{"path": path, "bytes": os.path.getsize(path)} for path in paths if os.path.exists(path)]
