"""Supervises one run: leases, workload, deadline, export and the end of everything. It never imports torch, so nothing of
the workload's can block it."""

import json
import os
import selectors
import signal
import subprocess
import time

import npuprof_found as found
import npuprof_leases as leases
import npuprof_processes as processes
import npuprof_records as records
from npuprof_log import BoundedLog

HERE = os.path.dirname(os.path.abspath(__file__))
TICK_S = 0.1
GRACE_S = 5.0
AFTER_FAILURE_S = 15.0  # for a workload to end by itself once the run has failed
LINE_LIMIT = 1 << 18


class Ended(Exception):
    """The run ends here, in `state`."""

    def __init__(self, state, code="", message="", remedy="", holder=""):
        super().__init__(message)
        self.state = state
        self.error = None
        if code:
            self.error = {"code": code, "message": message}
            if remedy:
                self.error["remedy"] = remedy
            if holder:
                self.error["holder"] = holder


class Child:
    """A process of the run's."""

    def __init__(self, process):
        self.process = process
        self.status = None


class Supervisor:
    def __init__(self, run_dir, job):
        self.run_dir = run_dir
        self.job = job
        self.records = records.Records(run_dir, job, processes.identity(os.getpid()))
        self.log = BoundedLog(os.path.join(run_dir, "stdout.log"), job["log_limit_bytes"])
        self.leases = None
        self.selector = selectors.DefaultSelector()
        self.reports_path = os.path.join(run_dir, "reports")
        self.reports = self.open_reports()
        self.deadline = None
        self.stop_asked = False
        self.failure = None  # the runner's own error event
        self.failed_at = None
        self.pending = b""  # the beginning of a report
        self.flushed_by = set()  # ranks
        self.steps = 0
        self.started_at = time.time()
        self.of = steps_of(job)

    def run(self):
        state, error, stage = "failed", None, None
        try:
            state = self.collect()
        except Ended as ended:
            state, error = ended.state, ended.error
        except Exception as problem:  # the last line of defence: a run never ends without a word
            error = {"code": "INTERNAL", "message": "the supervisor failed: %s: %s" % (type(problem).__name__, problem)}
        stage = self.records.status["stage"]
        left = processes.end_all(self.job["run_id"], os.getpid(), GRACE_S, pause=self.pause)
        if left:
            self.records.event("note", code="PROCESSES_LEFT", message="processes that would not end: %s"
                               % ", ".join(map(str, sorted(left))))
        removed = processes.clean_shared_memory(self.started_at)
        if removed:
            self.records.event("note", code="SHARED_MEMORY_REMOVED", message=", ".join(removed))
        if self.leases:
            self.leases.release()
        self.log.close()
        if error:
            self.records.event("error", **{name: error[name] for name in ("code", "message", "remedy") if name in error})
        self.records.end(state, "done" if state in ("captured", "done") else stage, error)

    def collect(self):
        self.records.stage("lease")
        self.check_stop()
        self.take_leases()
        self.deadline = time.monotonic() + self.job["timeout_s"]
        self.records.stage("start")
        self.records.write_status(step=0, of=self.of)
        self.make_profile_dir()
        self.run_workload()
        if self.job.get("purpose") == "inference":
            return "done"
        if self.job["backend"] == "cpu":
            return "captured"
        self.export()
        return "captured"

    def open_reports(self):
        if not os.path.exists(self.reports_path):
            os.mkfifo(self.reports_path, 0o600)
        descriptor = os.open(self.reports_path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # itself a writer: never at its end
        self.selector.register(descriptor, selectors.EVENT_READ)
        return descriptor

    # --- leases -------------------------------------------------------------------------------------------------

    def take_leases(self):
        lease = self.job.get("lease")
        if not lease or not lease["keys"]:
            return
        try:
            self.leases = leases.Leases(lease["dir"], lease["keys"], self.job["run_id"])
            self.leases.acquire(lease["wait_s"], go_on=self.go_on, sleep=self.pause)
        except leases.Unavailable as error:
            raise Ended("failed", "LEASE_UNAVAILABLE", "%s; nothing ran" % error,
                        "Make the target's lease_dir writable for this user, or name another in the configuration.")
        except leases.Busy as busy:
            raise Ended("failed", "DEVICE_BUSY", "%s; nothing ran" % busy,
                        "Wait for that run, choose another device, or queue with wait_for_device_s.",
                        str(busy.holder.get("run_id") or leases.describe(busy.holder)))
        self.check_stop()
        for holder in self.leases.stale:
            self.records.event("note", code="LEASE_STALE", message="took over from %s, which is gone"
                               % leases.describe(holder))

    def go_on(self):
        return not self.stopping()

    def pause(self, seconds):
        time.sleep(seconds)
        reap()

    # --- the workload -------------------------------------------------------------------------------------------

    def make_profile_dir(self):
        os.umask(0o027)
        try:
            os.makedirs(self.job["profile_dir"], 0o750, exist_ok=True)
            os.chmod(self.job["profile_dir"], 0o750)
        except OSError as error:
            raise Ended("failed", "IO_ERROR", "can't make %s: %s; nothing ran" % (self.job["profile_dir"], error.strerror))

    def run_workload(self):
        child = self.spawn([os.path.join(HERE, "runner.py"), "run", self.run_dir])
        self.watch(child)
        self.records.event("exit", process="runner", status=max(child.status, 0), signal=signal_name(child.status))
        processes.end_all(self.job["run_id"], os.getpid(), GRACE_S, pause=self.pause)
        if self.leases:
            self.leases.release()
        if self.failure and not self.flushed:
            code, message = self.failure.get("code", "WORKLOAD_FAILED"), self.failure.get("message", "")
            remedy = self.failure.get("remedy", "")
            if code in ("WORKLOAD_FAILED", "NO_OUTPUT"):
                message += ". Its last words:\n%s" % self.log.last_lines()
                code, remedy = known_cause(message) or (code, remedy)
            raise Ended("failed", code, message, remedy)
        if child.status != 0:
            message = "the workload ended with %s. Its last words:\n%s" % (how(child.status), self.log.last_lines())
            if not self.flushed:
                code, remedy = known_cause(message) or ("WORKLOAD_FAILED", "")
                raise Ended("failed", code, message, remedy)
            self.records.event("note", code="EXIT_NOT_ZERO", message=message[:4000])

    def export(self):
        folders = found.profile_folders(self.job["profile_dir"])
        if not folders:
            raise Ended("failed", "NO_OUTPUT", "the workload ran, but left no profile. Its last words:\n%s"
                        % self.log.last_lines(), "Check that it ran under the profiler at all.")
        self.records.stage("export")
        self.records.write_status(state="exporting")
        pending = [folder for folder in folders if not found.exported_of(folder, self.started_at)["with_rows"]]
        if pending:
            self.deadline = time.monotonic() + self.job["export_timeout_s"]
            child = self.spawn([os.path.join(HERE, "runner.py"), "export"] + pending)
            self.watch(child)
            self.records.event("exit", process="export", status=max(child.status, 0), signal=signal_name(child.status))
        exports = [found.exported_of(folder, self.started_at) for folder in folders]
        for export in exports:
            if not export["with_rows"]:
                raise Ended("failed", "EXPORT_FAILED",
                            "the profile was captured, but its export gave no fresh file with rows in %s. Last words:\n%s"
                            % (os.path.basename(export["path"]), self.log.last_lines()),
                            "The raw data is kept: fetch it, or export it again with torch_npu.profiler.profiler.analyse.")
        self.records.event("evidence", state="exported", proof={"folders": exports})

    # --- processes ----------------------------------------------------------------------------------------------

    def spawn(self, arguments):
        environment = dict(os.environ)
        environment.update(self.job["env"])
        environment[processes.RUN_ID_VARIABLE] = self.job["run_id"]
        environment["NPUPROF_REPORTS"] = self.reports_path
        try:
            process = subprocess.Popen(
                [self.job["python"], "-u"] + arguments, cwd=self.job["workspace"], env=environment,
                pass_fds=self.leases.descriptors() if self.leases else [], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_supervisor)
        except OSError as error:
            raise Ended("failed", "WORKLOAD_FAILED", "can't start %s in %s: %s; nothing ran"
                        % (self.job["python"], self.job["workspace"], error.strerror))
        os.set_blocking(process.stdout.fileno(), False)
        self.selector.register(process.stdout.fileno(), selectors.EVENT_READ)
        return Child(process)

    def watch(self, child):
        """Until the child has ended: its output into the log, its reports into the events. Raises Ended."""
        while child.status is None:
            self.check_stop()
            if self.failed_at is not None and time.monotonic() - self.failed_at > AFTER_FAILURE_S:
                processes.end_all(self.job["run_id"], os.getpid(), GRACE_S, pause=time.sleep)
            self.pump(TICK_S)
            for pid, status in reap():
                if pid == child.process.pid:
                    child.status = child.process.returncode = exit_status(status)
            self.records.refresh()
        processes.end_all(self.job["run_id"], os.getpid(), GRACE_S, pause=self.pause)
        while self.pump(0):
            pass
        self.forget(child.process.stdout.fileno())
        child.process.stdout.close()
        self.log.flush()

    def pump(self, timeout):
        """Moves what there is to read; False where there was nothing."""
        moved = False
        for key, _ in self.selector.select(timeout):
            try:
                data = os.read(key.fd, 65536)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                self.forget(key.fd)
                continue
            moved = True
            if key.fd == self.reports:
                self.take_reports(data)
            else:
                self.log.write(data)
        return moved

    def forget(self, descriptor):
        try:
            self.selector.unregister(descriptor)
        except (KeyError, ValueError):
            pass

    def take_reports(self, data):
        *lines, self.pending = (self.pending + data).split(b"\n")
        if len(self.pending) > LINE_LIMIT:
            self.pending = b""
        for line in lines:
            try:
                report = records.clean_report(json.loads(line.decode("utf-8", "replace")))
            except (ValueError, TypeError):
                report = None
            if report:
                self.take_report(report)

    def take_report(self, report):
        kind, rank = report.pop("kind"), report.get("rank")
        leading = rank is None or rank == min(self.job["ranks"])
        if kind == "error":
            if rank is not None and self.job["nproc_per_node"] > 1:
                report["message"] = "rank %d: %s" % (rank, report.get("message", ""))
            self.failure = self.failure or report
            self.failed_at = self.failed_at or time.monotonic()
            return
        if kind == "stage":
            if leading:
                self.records.stage(**report)
            return
        if kind == "evidence" and report.get("state") == "flushed":
            self.flushed_by.add(rank or 0)
        self.records.event(kind, **report)
        if kind == "step" and leading:
            self.steps += 1
            self.records.status["step"] = self.steps

    @property
    def flushed(self):
        """Whether everything that was asked for is on disk."""
        wanted = set(self.job["ranks"]) if self.job["nproc_per_node"] > 1 else {0}
        return bool(self.flushed_by) and wanted <= self.flushed_by | ({0} if self.job["nproc_per_node"] < 2 else set())

    # --- the end ------------------------------------------------------------------------------------------------

    def stopping(self):
        return self.stop_asked or os.path.exists(os.path.join(self.run_dir, "cancel.request"))

    def check_stop(self):
        if self.stopping():
            raise Ended("cancelled", "CANCELLED", "the run was cancelled in stage %s" % self.records.status["stage"])
        if self.deadline is not None and time.monotonic() >= self.deadline:
            exporting = self.records.status["state"] == "exporting"
            if self.flushed and not exporting:  # the capture is whole; only the workload's own end is late
                self.deadline = None
                self.records.event("note", code="ENDED_AFTER_FLUSH",
                                   message="the workload went on past its deadline after the window was written: ended")
                processes.end_all(self.job["run_id"], os.getpid(), GRACE_S, pause=time.sleep)
                return
            limit = self.job["export_timeout_s"] if exporting else self.job["timeout_s"]
            raise Ended("timed_out", "TIMED_OUT", "stage %s was not over after %g s. Last words:\n%s"
                        % (self.records.status["stage"], limit, self.log.last_lines()),
                        "Raise %s, or find out what hangs." % ("export_timeout_s" if exporting else "timeout_s"))


def steps_of(job):
    """How many steps the run will report: of its window, and those around it."""
    window, workload = job["window"], job["workload"]
    if job.get("purpose") == "inference":
        return 1
    if workload["way"] == "service" and workload["service"].get("profile", "endpoint") == "endpoint":
        return 1 + sum(window.values()) + 1
    # first, warm-up, the step the profiler spends on its own warm-up, guard, active, and one after the window
    steps = 1 + window["warmup_steps"] + 1 + window["guard_steps"] + window["active_steps"] + 1
    if workload["way"] in ("hook", "service") and window["warmup_steps"]:
        steps -= 1  # there the first step is one of the warm-up
    return steps


# What a failed workload's words tell of the cause: (words, code, remedy).
CAUSES = (
    (("EJ0003", "EI0019"), "HCCL_PORT_CONFLICT",
     "Another job of this host uses HCCL's ports: set HCCL_IF_BASE_PORT to a free range in env, or wait for it."),
    (("NPU out of memory", "EL0004"), "OUT_OF_MEMORY",
     "Take a device with more free memory, or a smaller batch; precheck lists who holds memory."),
    (("EL0005", "507899"), "DEVICE_BUSY",
     "Another process or container holds the device; precheck shows which, where it can be seen."),
    (("No module named torch.distributed", "No module named 'torch.distributed"), "TORCHRUN_MISSING",
     "This Python's torch has no torchrun: install a whole PyTorch, or use nproc_per_node 1."),
    (("EE4004",), "PROFILER_BUSY", "Another profiler is active on the device; wait for it or end it."),
)


def known_cause(words):
    """(code, remedy) where the words of a failure are known, else None."""
    for marks, code, remedy in CAUSES:
        if any(mark in words for mark in marks):
            return code, remedy
    return None


def die_with_supervisor():
    processes.prctl(processes.PR_SET_PDEATHSIG, signal.SIGKILL)


def reap():
    """Every child that has ended: [(pid, wait status)]. As subreaper that includes the workload's orphans."""
    ended = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append((pid, status))


def exit_status(status):
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def signal_name(status):
    if status >= 0:
        return ""
    try:
        return signal.Signals(-status).name[3:]
    except ValueError:
        return str(-status)


def how(status):
    return "signal %s" % signal_name(status) if status < 0 else "exit status %d" % status
