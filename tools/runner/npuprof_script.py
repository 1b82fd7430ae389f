"""The script way: a program that profiles itself when told to (--device_id N --profile [--compile] [--warmup-steps N])
and leaves its output in a folder of its working directory, which is then moved into the run's."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
import time

import npuprof_found as found
import npuprof_launch as launch
import npuprof_report as report

POLL_S = 0.2
HELP_TIMEOUT_S = 120


def run(job):
    workload = job["workload"]
    script, workspace = workload["script"], job["workspace"]
    os.chdir(workspace)
    output = os.path.join(workspace, workload.get("profile_dir") or "profile_l1")
    lock = claim(job, output)
    before = set(found.profile_folders(workspace))
    command = [sys.executable, "-u", script] + arguments_of(job)
    report.note("SCRIPT_STARTED", "the program profiles itself; its steps can't be seen from outside",
                {"argv": command[2:]})
    report.stage("window")
    begun = time.time()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment())
    watcher = Watcher(output, begun)
    status = process.wait()
    watcher.end()
    report.stage("flush")
    moved = collect(job, output, before)
    os.close(lock)
    if not moved:
        raise report.Failure("WORKLOAD_FAILED" if status else "NO_OUTPUT", "the program ended with %s and left no profile in %s"
                             % (status_words(status), output),
                             "It must write its profile to the folder %s of its working directory when given --profile."
                             % os.path.basename(output))
    report.evidence("flushed", {"folders": [found.raw_of(folder) for folder in moved]})
    return status if status >= 0 else 128 - status


def status_words(status):
    return "exit status %d" % status if status >= 0 else "signal %d" % -status


def environment():
    return {name: value for name, value in os.environ.items() if name != report.PIPE}


def claim(job, output):
    """Nothing may be in the program's output folder before it starts, and no other run may be using it."""
    locks = os.path.join(job["workspace"], ".npuprof")
    os.makedirs(locks, exist_ok=True)
    name = "output_%s.lock" % re.sub(r"[^A-Za-z0-9_]", "_", os.path.relpath(output, job["workspace"]))
    lock = os.open(os.path.join(locks, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise report.Failure("ALREADY_EXISTS", "another run is writing to %s; nothing ran" % output,
                             "Wait for it, or use another workspace.")
    if os.path.lexists(output) and not (os.path.isdir(output) and not os.listdir(output)):
        raise report.Failure("ALREADY_EXISTS", "the output folder %s exists and is not empty; nothing ran" % output,
                             "Move it away: what is in it could not be told from this run's profile.")
    return lock


def arguments_of(job):
    arguments = launch.filled(job, job["workload"]["args"])
    if job["device_ids"]:
        arguments += ["--device_id", str(job["device_ids"][0])]
    arguments.append("--profile")
    if job["compile"]:
        arguments.append("--compile")
    if takes_warmup_steps(job["workload"]["script"]):
        arguments += ["--warmup-steps", str(job["window"]["warmup_steps"])]
    else:
        report.note("WARMUP_STEPS_NOT_TAKEN", "the program knows no --warmup-steps; whether its warm-up is kept out of the "
                    "profile is read from the data")
    return arguments


def takes_warmup_steps(script):
    """Whether the program's source says so, or, where it parses its arguments elsewhere, its --help."""
    with open(script, encoding="utf-8", errors="replace") as file:
        source = file.read()
    if re.search(r"--warmup[-_]steps", source):
        return "--warmup-steps" in source
    if not re.search(r"argparse|ArgumentParser|click|typer|absl|parse_args", source):
        return False  # a program that parses nothing would run in earnest when asked for help
    try:
        answer = subprocess.run([sys.executable, script, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=HELP_TIMEOUT_S, env=environment())
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"--warmup-steps" in answer.stdout


def collect(job, output, before):
    """Moves what the program wrote into the run's profile_dir. Returns the *_ascend_pt folders there."""
    sources = []
    if os.path.isdir(output) and not os.path.islink(output):
        sources += [os.path.join(output, name) for name in sorted(os.listdir(output))]
    sources += [folder for folder in found.profile_folders(job["workspace"]) if folder not in before]
    for source in sources:
        shutil.move(source, os.path.join(job["profile_dir"], os.path.basename(source)))
    try:
        os.rmdir(output)
    except OSError:
        pass
    return found.profile_folders(job["profile_dir"])


class Watcher:
    """Reports once that a profile appears while the program runs."""

    def __init__(self, output, begun):
        self.output = output
        self.begun = begun
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        while not self.over.wait(POLL_S):
            folders = found.profile_folders(self.output)
            if folders:
                report.evidence("recording", {"folders": [os.path.basename(folder) for folder in folders]})
                return

    def end(self):
        self.over.set()
        self.thread.join()
