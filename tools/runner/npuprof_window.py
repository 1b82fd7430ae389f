"""The steps of a run, and the profiler over those that are recorded.

first      one step, its output looked at
warmup     warmup_steps, no profiler, a synchronise after each
arm        the step that the profiler's own schedule spends on warming itself up: executed, not recorded
guard      guard_steps, recorded, left out of the verdict: the profiler loses or inflates the head of a recording
active     active_steps: the window
after      one more without a profiler, to see what recording costs

The profiler counts every step from 0, so with schedule(wait=0, warmup=1, active=guard+active, repeat=1) the arm step is
ProfilerStep#0, the first recorded one #1, and the window is #(guard+1) .. #(guard+active).
"""

import os
import time

import npuprof_found as found
import npuprof_outputs as outputs
import npuprof_report as report

LEVELS = {"l0": "Level0", "l1": "Level1", "l2": "Level2"}
ARM_STEPS = 1


class Window:
    def __init__(self, job, device, step):
        self.job = job
        self.device = device
        self.step = step  # the callable
        self.count = job["window"]

    def run(self):
        self.first_step()
        if self.job.get("purpose") == "inference":
            return
        self.warm_up()
        self.record()
        self.after()

    def timed(self, phase, index, step_id=None):
        before = compiles()
        begun = time.perf_counter()
        value = self.step()
        self.device.synchronize()
        ms = (time.perf_counter() - begun) * 1000
        fresh = compiles() - before
        report.step(phase, index, ms, step_id, compiles=fresh if fresh else None)
        return value

    def first_step(self):
        report.stage("first_step")
        value = self.timed("first", 0)
        described, problems = outputs.describe(value)
        report.output(described, problems, peak_memory_mb=self.device.peak_memory_mb())
        if problems:
            raise report.Failure("OUTPUT_INVALID", "the first step's output is wrong: %s; nothing was recorded"
                                 % "; ".join(problems), "Repair the inference before its performance is measured.")
        if not described:
            report.note("OUTPUT_UNKNOWN", "the step returned nothing that could be looked at (%s)" % type(value).__name__)

    def warm_up(self):
        report.stage("warmup")
        for index in range(self.count["warmup_steps"]):
            self.timed("warmup", index)

    def record(self):
        guard, active = self.count["guard_steps"], self.count["active_steps"]
        report.stage("window")
        profiler = self.open_profiler(guard + active)
        profiler.start()
        try:
            report.evidence("armed", {"schedule": {"wait": 0, "warmup": ARM_STEPS, "active": guard + active, "repeat": 1}})
            self.timed("arm", 0, 0)
            profiler.step()
            report.evidence("recording", {"folders": self.folders()})
            for index in range(guard + active):
                phase, number = ("guard", index) if index < guard else ("active", index - guard)
                self.timed(phase, number, ARM_STEPS + index)
                if index == guard + active - 1:
                    report.stage("flush")
                profiler.step()  # after the last one it writes what it has
        finally:
            profiler.stop()
        self.check_flushed()

    def folders(self):
        return [os.path.basename(folder) for folder in found.profile_folders(self.job["profile_dir"])]

    def check_flushed(self):
        folders = found.profile_folders(self.job["profile_dir"])
        if not folders:
            raise report.Failure("NO_OUTPUT", "the profiler wrote nothing below %s" % self.job["profile_dir"],
                                 "Look for [ERROR] lines of the profiler in the log; PROFILER_SAMPLECONFIG or "
                                 "PROFILING_MODE in the environment silence it.")
        report.evidence("flushed", {"folders": [found.raw_of(folder) for folder in folders]},
                        peak_memory_mb=self.device.peak_memory_mb())

    def after(self):
        try:
            self.timed("after", 0)
        except Exception as error:  # the capture is whole; this step only measures what recording costs
            report.note("AFTER_STEP_FAILED", "%s: %s" % (type(error).__name__, error))

    def open_profiler(self, recorded):
        return open_npu_profiler(self.job, self.device, recorded)


def open_npu_profiler(job, device, recorded):
    wanted = job["profiler"]
    npu_profiler = device.torch_npu.profiler
    level = getattr(npu_profiler.ProfilerLevel, LEVELS[wanted["level"]])
    metrics = "AiCoreNone" if wanted["level"] == "l0" else wanted["aic_metrics"]
    if not hasattr(npu_profiler.AiCMetrics, metrics):
        known = sorted(name for name in vars(npu_profiler.AiCMetrics) if not name.startswith("_"))
        raise report.Failure("INVALID_ARGUMENTS", "this torch_npu has no aic_metrics %s, it has %s; nothing was recorded"
                             % (metrics, ", ".join(known)))
    activities = list(wanted["activities"])
    if job["window"]["guard_steps"] and "cpu" not in activities:
        # Step ids come from the framework's events: without them guard and window can't be told apart.
        activities.append("cpu")
        report.note("ACTIVITIES_EXTENDED", "recorded cpu beside npu: without it the profiler numbers no steps, and guard "
                    "steps can't be told from the window (guard_steps=0 records npu alone)")
    config = npu_profiler._ExperimentalConfig(
        profiler_level=level, aic_metrics=getattr(npu_profiler.AiCMetrics, metrics),
        export_type=npu_profiler.ExportType.Text)
    handler = npu_profiler.tensorboard_trace_handler(job["profile_dir"], worker_name="npuprof", analyse_flag=False)
    report.profiler({"level": wanted["level"], "aic_metrics": metrics, "activities": activities,
                     "with_stack": wanted["with_stack"], "record_shapes": wanted["record_shapes"],
                     "profile_memory": wanted["profile_memory"], "directory": job["profile_dir"],
                     "torch": getattr(device.torch, "__version__", ""),
                     "torch_npu": getattr(device.torch_npu, "__version__", ""),
                     "first_step_id": ARM_STEPS + job["window"]["guard_steps"]})
    return npu_profiler.profile(
        activities=[getattr(npu_profiler.ProfilerActivity, name.upper()) for name in activities],
        schedule=npu_profiler.schedule(wait=0, warmup=ARM_STEPS, active=recorded, repeat=1),
        on_trace_ready=handler, record_shapes=wanted["record_shapes"], profile_memory=wanted["profile_memory"],
        with_stack=wanted["with_stack"], experimental_config=config)


def compiles():
    """How many graphs torch.compile has made so far, as far as can be told without importing anything."""
    import sys
    utils = sys.modules.get("torch._dynamo.utils")
    counters = getattr(utils, "counters", None)
    try:
        return int(counters["stats"]["unique_graphs"]) if counters is not None else 0
    except (KeyError, TypeError, ValueError):
        return 0
