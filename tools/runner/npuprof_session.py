"""The steps of a hooked program in one of its processes, counted as they come; the window over those that are asked for.

The first warmup_steps calls are warm-up (the first of them is looked at), then come arm, guard, active and one after, as
npuprof_window has them. Nothing here raises into the program: what goes wrong is reported, and its calls pass unobserved.
"""

import atexit
import contextvars
import os
import sys
import threading
import time

import npuprof_devices as devices
import npuprof_report as report
from npuprof_hook import mark
from npuprof_ranks import meet, rank_of
from npuprof_recorders import ARM_STEPS, open_recorder
from npuprof_window import check_flushed, compiles, judge_warm_up, look_at

_inside = contextvars.ContextVar("npuprof_step", default=None)


def plan_of(count):
    """[(phase, index, step id or None)] of the calls in order."""
    warm_up, guard, active = count["warmup_steps"], count["guard_steps"], count["active_steps"]
    plan = [("first", 0, None)] if warm_up else []
    plan += [("warmup", index, None) for index in range(warm_up - 1)]
    plan += [("arm", 0, 0)]
    plan += [("guard", index, ARM_STEPS + index) for index in range(guard)]
    plan += [("active", index, ARM_STEPS + guard + index) for index in range(active)]
    return plan + [("after", 0, None)]


class Session:
    def __init__(self, job, run_dir):
        self.job = job
        self.run_dir = run_dir
        self.pid = os.getpid()
        self.plan = plan_of(job["window"])
        self.lock = threading.Lock()
        self.current = None  # what marks the step that goes on
        self.done = 0        # steps
        self.took = {}
        self.device = None
        self.recorder = None
        self.thread = None   # of the recorder
        self.flushed = False
        self.active = True
        self.records = True  # not so in ranks that only keep the others company
        self.overlapped = False

    def enter(self):
        """Whether this call is a step. Not one: nested in a step, beside one, or of no interest any more."""
        with self.lock:
            if not self.active:
                return False
            if self.current is not None:
                if _inside.get() is not self.current and not self.overlapped:
                    self.overlapped = True
                    self.fail(report.Failure(
                        "HOOK_OVERLAP", "%s was called while another call of it was going on: steps can't be told apart"
                        % self.job["workload"]["hook"], "Hook a method that is called once at a time, or serve one request "
                        "at a time."))
                return False
            self.current = object()
            _inside.set(self.current)
        try:
            self.begin()
        except Exception as problem:
            self.fail(problem)
        return self.active

    def leave(self, value, error):
        try:
            self.finish_step(value, error)
        except Exception as problem:
            self.fail(problem)
        finally:
            self.current = None

    # --- one step -----------------------------------------------------------------------------------------------

    def begin(self):
        if self.done == 0 and self.device is None:
            self.open()
            if not self.active:
                return
        phase = self.plan[self.done][0]
        if not self.records:
            if phase == "arm":
                meet(self.job, "window")
                self.active = False
            return
        if phase in ("first", "warmup") and not self.took.get(phase):
            report.stage("first_step" if phase == "first" else "warmup")
        if phase == "arm":
            meet(self.job, "window")
            report.stage("window")
            self.open_recorder()
        if self.recorder is not None and threading.current_thread() is not self.thread:
            self.follow_thread()
        self.compiled = compiles()
        self.begun = time.perf_counter()

    def open(self):
        rank = rank_of()
        if not mark(self.run_dir, "hook_rank_%d" % rank):
            report.note("HOOK_OTHER_PROCESS", "process %d calls the hooked method too; one process of a rank is observed"
                        % os.getpid())
            self.active = False
            return
        self.device = devices.attach(self.job)
        self.records = self.job["nproc_per_node"] < 2 or rank in self.job["ranks"]
        if not self.records:
            return
        atexit.register(self.end)
        if "multiprocessing.util" in sys.modules:  # whose forked workers run no atexit
            sys.modules["multiprocessing.util"].Finalize(self, self.end, exitpriority=100)

    def finish_step(self, value, error):
        if not self.active:
            return
        if not self.records:
            self.done += 1
            return
        self.device.synchronize()
        ms = (time.perf_counter() - self.begun) * 1000
        phase, index, step_id = self.plan[self.done]
        self.done += 1
        fresh = compiles() - self.compiled
        report.step(phase, index, ms, step_id, compiles=fresh if fresh else None)
        self.took.setdefault(phase, []).append((ms, fresh))
        if error is not None:
            report.note("STEP_RAISED", "%s %d raised %s: %s" % (phase, index, type(error).__name__, error))
        elif self.done == 1:
            look_at(value, self.device)
        if self.recorder is not None:
            self.advance()
        if self.done == len(self.plan):
            self.active = False

    # --- the window ---------------------------------------------------------------------------------------------

    def open_recorder(self):
        count = self.job["window"]
        recorded = count["guard_steps"] + count["active_steps"]
        self.recorder = open_recorder(self.job, self.device, recorded)
        self.thread = threading.current_thread()
        self.recorder.start()
        report.evidence("armed", {"schedule": {"wait": 0, "warmup": ARM_STEPS, "active": recorded, "repeat": 1}})

    def advance(self):
        last = self.plan[self.done][0] == "after" if self.done < len(self.plan) else True
        if last:
            report.stage("flush")
        self.recorder.step()
        if self.done and self.plan[self.done - 1][0] == "arm":
            report.evidence("recording", {"files": [os.path.basename(part["path"]) for part in self.recorder.written()]})
        if last:
            self.close_recorder()
            judge_warm_up(self.took)

    def close_recorder(self):
        recorder, self.recorder = self.recorder, None
        recorder.stop()
        check_flushed(self.job, self.device, recorder)
        self.flushed = True
        mark(self.run_dir, "hook_flushed")

    def follow_thread(self):
        """The profiler's callbacks are those of the thread that started it; newer releases can be told of another one."""
        self.thread = threading.current_thread()
        wanted = self.job["profiler"]
        enable = getattr(self.recorder.profiler, "enable_profiler_in_child_thread", None)
        if enable is None:
            report.note("HOOK_THREAD", "the steps come from several threads, and this profiler records the framework's events "
                        "of one only: step ids may be missing")
            return
        enable(record_shapes=wanted["record_shapes"], profile_memory=wanted["profile_memory"],
               with_stack=wanted["with_stack"])

    # --- the end ------------------------------------------------------------------------------------------------

    def end(self):
        """At the program's end: what was recorded of a window that is not complete is kept."""
        if self.flushed or not self.active or os.getpid() != self.pid:
            return
        self.active = False
        seen = len(self.took.get("active", []))
        text = ("the program ended after %d calls of %s; %d were needed" %
                (self.done, self.job["workload"]["hook"], len(self.plan) - 1))
        if self.recorder is None:
            report.error("TOO_FEW_STEPS", text + "; nothing was recorded",
                         "Lower warmup_steps or active_steps, or let the program do more.")
            return
        report.note("TOO_FEW_STEPS", text, {"active_steps": seen})
        report.stage("flush")
        try:
            self.close_recorder()
        except Exception as problem:
            self.fail(problem)

    def fail(self, problem):
        self.active = False
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            try:
                recorder.stop()
            except Exception:
                pass
        if isinstance(problem, report.Failure):
            report.error(problem.code, str(problem), problem.remedy)
        else:
            report.error("WORKLOAD_FAILED", "the hook failed: %s: %s" % (type(problem).__name__, problem))
