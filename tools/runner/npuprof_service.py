"""The service way: an HTTP service is started, warmed up, profiled while it answers requests, and stopped.

With profile=endpoint it profiles itself between POST /start_profile and POST /stop_profile (vLLM and its like); with
profile=hook the hook in its workers sees the calls that the requests lead to. One pass over the requests is one step.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import npuprof_found as found
import npuprof_launch as launch
import npuprof_program as program
import npuprof_report as report

POLL_S = 0.2
REQUEST_TIMEOUT_S = 600
APPEAR_S = 10        # for a profile's folder to be there after /stop_profile has answered
SETTLE_S = 120       # for it to be whole
STOP_S = 30
ANSWER_LIMIT = 1 << 20
MOST_PASSES = 1000   # over the requests, while a hook waits for its calls
LOOPBACK = ("localhost", "127.0.0.1", "::1")

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def run(job):
    os.chdir(job["workspace"])
    service = Service(job)
    report.stage("load")
    service.start()
    try:
        service.wait_until_ready()
        service.profile()
    finally:
        service.stop()
    return 0


class Service:
    def __init__(self, job):
        self.job = job
        self.wanted = job["workload"]["service"]
        self.hooked = self.wanted.get("profile", "endpoint") == "hook"
        self.base = loopback(self.wanted["ready_url"])
        self.requests = self.wanted["requests"]
        for request in self.requests + self.wanted.get("warmup", []):
            loopback(self.url_of(request))
        self.process = None
        self.before = set()

    # --- the service's life -------------------------------------------------------------------------------------

    def start(self):
        self.before = set(found.profile_folders(self.job["workspace"]))
        argv = launch.filled(self.job, self.wanted["start"])
        environment = {name: value for name, value in os.environ.items() if name != report.PIPE}
        if self.hooked:
            environment = program.environment(self.job["run_dir"])
        # Where vLLM's own profiler writes; others are told through {profile_dir} in their arguments.
        environment.setdefault("VLLM_TORCH_PROFILER_DIR", self.job["profile_dir"])
        try:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, env=environment)
        except OSError as error:
            raise report.Failure("WORKLOAD_FAILED", "the service can't be started: %s: %s; nothing ran"
                                 % (argv[0], error.strerror))

    def check_alive(self, what):
        status = self.process.poll()
        if status is not None:
            raise report.Failure("WORKLOAD_FAILED", "the service ended with status %d %s" % (status, what))

    def wait_until_ready(self):
        while True:
            self.check_alive("before it was ready")
            try:
                with _opener.open(self.wanted["ready_url"], timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (OSError, urllib.error.URLError, ValueError):
                pass
            time.sleep(POLL_S)

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    # --- the window ---------------------------------------------------------------------------------------------

    def profile(self):
        report.stage("first_step")
        self.look_at(self.timed(self.requests, None if self.hooked else "first", 0))
        if self.hooked:
            self.until_hook_has_seen_enough()
            return
        report.stage("warmup")
        if "warmup" in self.wanted:
            self.timed(self.wanted["warmup"], "warmup", 0)
        else:
            for index in range(self.job["window"]["warmup_steps"]):
                self.timed(self.requests, "warmup", index)
        report.stage("window")
        self.control("start_profile")
        report.evidence("armed", {"route": "/start_profile"})
        for phase in ("guard", "active"):
            for index in range(self.job["window"][phase + "_steps"]):
                self.timed(self.requests, phase, index)
        report.stage("flush")
        self.control("stop_profile")
        self.collect()
        self.timed(self.requests, "after", 0)

    def until_hook_has_seen_enough(self):
        for _ in range(MOST_PASSES):
            if os.path.exists(os.path.join(self.job["run_dir"], "hook_flushed")):
                return
            self.timed(self.requests, None, 0)
        self.stop()
        program.judge(self.job, 0)

    def timed(self, requests, phase, index):
        """One pass over the requests; reported as a step where it is one. Returns the last answer."""
        begun = time.perf_counter()
        answer = None
        for request in requests:
            answer = self.send(request)
        if phase:
            report.step(phase, index, (time.perf_counter() - begun) * 1000)
        return answer

    def look_at(self, answer):
        status, size, kind = answer
        problems = [] if size else ["the answer is empty"]
        report.output([{"type": "response", "shape": [size], "dtype": kind, "empty": size == 0}], problems)
        if problems:
            raise report.Failure("OUTPUT_INVALID", "the service's first answer is empty (status %d); nothing was recorded"
                                 % status)

    def send(self, request):
        body = request.get("body")
        headers = dict(request.get("headers", {}))
        if body is not None and not isinstance(body, str):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        url = self.url_of(request)
        self.check_alive("before it was asked for %s" % url)
        message = urllib.request.Request(url, data=None if body is None else body.encode(), headers=headers,
                                         method=request.get("method", "GET" if body is None else "POST"))
        try:
            with _opener.open(message, timeout=REQUEST_TIMEOUT_S) as answer:
                size = 0
                while True:
                    part = answer.read(ANSWER_LIMIT)
                    size += len(part)
                    if not part:
                        return answer.status, size, answer.headers.get("Content-Type", "")
        except urllib.error.HTTPError as error:
            words = error.read(2000).decode("utf-8", "replace")
            raise report.Failure("REQUEST_FAILED", "%s answered %d: %s" % (url, error.code, words),
                                 "Check the request's method, url and body against the service.")
        except (OSError, urllib.error.URLError) as error:
            raise report.Failure("REQUEST_FAILED", "%s gave no answer: %s" % (url, error))

    def url_of(self, request):
        return urllib.parse.urljoin(self.base, str(request.get("url", "/")))

    def control(self, route):
        """POST /start_profile or /stop_profile; the latter may take minutes, the run's deadline bounds it."""
        url = urllib.parse.urljoin(self.base, "/" + route)
        try:
            with _opener.open(urllib.request.Request(url, data=b"", method="POST"),
                              timeout=max(REQUEST_TIMEOUT_S, self.job["timeout_s"])) as answer:
                answer.read()
        except urllib.error.HTTPError as error:
            raise report.Failure(
                "NO_PROFILE_ROUTE", "%s answered %d" % (url, error.code),
                "Start the service with its profiler on (vLLM: --profiler-config, or VLLM_TORCH_PROFILER_DIR in older "
                "versions), or use profile=hook.")
        except (OSError, urllib.error.URLError) as error:
            raise report.Failure("REQUEST_FAILED", "%s gave no answer: %s" % (url, error))

    def collect(self):
        """Waits for the profile that the service wrote; one that was left in the working directory is moved."""
        begun = time.monotonic()
        while True:
            for folder in set(found.profile_folders(self.job["workspace"])) - self.before:
                shutil.move(folder, os.path.join(self.job["profile_dir"], os.path.basename(folder)))
            folders = [found.raw_of(folder) for folder in found.profile_folders(self.job["profile_dir"])]
            if folders and all(folder["profiler_info"] for folder in folders):
                report.evidence("flushed", {"folders": folders})
                return
            if time.monotonic() - begun > (SETTLE_S if folders else APPEAR_S):
                break
            time.sleep(POLL_S)
        if folders:
            report.note("KILLED_MID_CAPTURE", "the service did not finish writing its profile")
            report.evidence("flushed", {"folders": folders})
            return
        raise report.Failure("NO_OUTPUT", "the service took /start_profile and /stop_profile, but wrote no profile to %s or "
                             "its working directory" % self.job["profile_dir"],
                             "Give it {profile_dir} as its profiler's directory in `start`.")


def loopback(url):
    """The url, where it leads to this host only."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or (parts.hostname or "") not in LOOPBACK:
        raise report.Failure("INVALID_ARGUMENTS", "%s is not http on the target's own loopback; nothing ran" % url)
    return url
