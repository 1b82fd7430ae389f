"""The steps of a run, and the profiler over those that are recorded.

first      one step, its output looked at
warmup     warmup_steps, no profiler, a synchronise after each
arm        the step that the profiler's own schedule spends on warming itself up: executed, not recorded
guard      guard_steps, recorded, left out of the verdict: the profiler loses or inflates the head of a recording
active     active_steps: the window
after      one more without a profiler, to see what recording costs
"""

import os
import statistics
import sys
import time

import npuprof_outputs as outputs
import npuprof_report as report
from npuprof_ranks import meet, rank_of
from npuprof_recorders import ARM_STEPS, open_recorder

STILL_SLOW = 2.0  # the last warm-up step was not warm when it took this many times the window's median


class Window:
    def __init__(self, job, device, step):
        self.job = job
        self.device = device
        self.step = step  # the callable
        self.count = job["window"]
        self.records = job["nproc_per_node"] < 2 or rank_of() in job["ranks"]
        self.took = {}  # phase -> [(ms, graphs compiled)] of its steps

    def run(self):
        self.first_step()
        if self.job.get("purpose") == "inference":
            return
        meet(self.job, "warmup")
        self.warm_up()
        meet(self.job, "window")
        if self.records:
            self.record()
        else:
            self.keep_company()
        self.after()

    def timed(self, phase, index, step_id=None):
        """Runs one step and reports it. Returns what it returned."""
        before = compiles()
        begun = time.perf_counter()
        value = self.step()
        self.device.synchronize()
        ms = (time.perf_counter() - begun) * 1000
        fresh = compiles() - before
        if self.records:
            report.step(phase, index, ms, step_id, compiles=fresh if fresh else None)
        self.took.setdefault(phase, []).append((ms, fresh))
        return value

    def first_step(self):
        report.stage("first_step")
        look_at(self.timed("first", 0), self.device)

    def warm_up(self):
        report.stage("warmup")
        for index in range(self.count["warmup_steps"]):
            self.timed("warmup", index)

    def record(self):
        guard, active = self.count["guard_steps"], self.count["active_steps"]
        report.stage("window")
        recorder = open_recorder(self.job, self.device, guard + active)
        recorder.start()
        try:
            report.evidence("armed", {"schedule": {"wait": 0, "warmup": ARM_STEPS, "active": guard + active, "repeat": 1}})
            self.timed("arm", 0, 0)
            recorder.step()
            report.evidence("recording", {"files": [os.path.basename(part["path"]) for part in recorder.written()]})
            for index in range(guard + active):
                phase, number = ("guard", index) if index < guard else ("active", index - guard)
                self.timed(phase, number, ARM_STEPS + index)
                if index == guard + active - 1:
                    report.stage("flush")
                recorder.step()  # after the last one it writes what it has
        finally:
            recorder.stop()
        check_flushed(self.job, self.device, recorder)
        judge_warm_up(self.took)

    def keep_company(self):
        """As many steps as the ranks that record, for the sake of what they have in common."""
        for index in range(ARM_STEPS + self.count["guard_steps"] + self.count["active_steps"]):
            self.timed("active", index)

    def after(self):
        try:
            self.timed("after", 0)
        except Exception as error:  # the capture is whole; this step only measures what recording costs
            report.note("AFTER_STEP_FAILED", "%s: %s" % (type(error).__name__, error))


def look_at(value, device):
    """Reports what the first step returned. A wrong output ends the run before anything is recorded."""
    described, problems = outputs.describe(value)
    report.output(described, problems, peak_memory_mb=device.peak_memory_mb())
    if problems:
        raise report.Failure("OUTPUT_INVALID", "the first step's output is wrong: %s; nothing was recorded"
                             % "; ".join(problems), "Repair the inference before its performance is measured.")
    if not described:
        report.note("OUTPUT_UNKNOWN", "the step returned nothing that could be looked at (%s)" % type(value).__name__)


def judge_warm_up(took):
    """Notes where the steps were still compiling, or still getting faster, when the window opened."""
    warm_up, active = took.get("warmup", []), took["active"]
    late = sum(fresh for phase in ("arm", "guard", "active") for _, fresh in took.get(phase, []))
    late += warm_up[-1][1] if warm_up else 0
    median = statistics.median(ms for ms, _ in active)
    data = {"warmup_ms": [round(ms, 3) for ms, _ in warm_up], "compiles": [fresh for _, fresh in warm_up],
            "active_median_ms": round(median, 3), "late_compiles": late}
    if late:
        report.note("WARMUP_INSUFFICIENT", "%d graphs were compiled in the last warm-up step or after it" % late, data)
    elif warm_up and warm_up[-1][0] > STILL_SLOW * median:
        report.note("WARMUP_INSUFFICIENT", "the last warm-up step took %.1f ms, those of the window %.1f ms"
                    % (warm_up[-1][0], median), data)


def check_flushed(job, device, recorder):
    written = recorder.written()
    if not written:
        raise report.Failure("NO_OUTPUT", "the profiler wrote nothing below %s" % job["profile_dir"],
                             "Look for [ERROR] lines of the profiler in the log; PROFILER_SAMPLECONFIG or "
                             "PROFILING_MODE in the environment silence it.")
    report.evidence("flushed", {"folders": written}, peak_memory_mb=device.peak_memory_mb())


def compiles():
    """How many graphs torch.compile has made so far, as far as can be told without importing anything."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
    try:
        return int(counters["stats"]["unique_graphs"]) if counters is not None else 0
    except (KeyError, TypeError, ValueError):
        return 0
