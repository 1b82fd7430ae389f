"""Faults that are switched on by name: SIMULATED_NPU_FAULTS="warmup_leak,crash_at_step:3".

of the workload (through at_step, which its steps call)
  crash_at_step:K  exit_at_step:K  kill_at_step:K  hang_at_step:K  slow_steps:MS  stderr_flood:MB  binary_output
  setsid_child  pkill_python  shm_left  nan_output  zero_output  empty_output
  recompiles:N     torch.compile compiles again in the first N calls after the first
  no_profile_route  start_swallowed     of the example service
of the host
  import_fails     importing torch_npu ends as without CANN's libraries
of the profiler
  warmup_leak      the step that should only warm the profiler up is recorded too
  compile_in_window  an operator is compiled in the middle of what is recorded
  lost_steps:N     the last N recorded steps are missing in the output
  inert            nothing is captured, and nothing says so
of the export
  empty_export     says it is done and leaves no file
  export_fails     prints its error, leaves nothing, exits with 0
  export_hangs     never ends
  export_offline_only  as export_fails, unless in a fresh process
  missing_file:NAME  empty_table:NAME  stale_output:NAME  truncated_trace  step_mismatch  spillover
"""

import os
import signal
import subprocess
import sys
import time

VARIABLE = "SIMULATED_NPU_FAULTS"
_steps = [0]


def fault(name):
    """What follows the colon ("" for nothing) where the fault is on, else None."""
    for item in os.environ.get(VARIABLE, "").split(","):
        key, _, value = item.strip().partition(":")
        if key == name:
            return value
    return None


def hits(name, default):
    """Whether `default` (a file's name, a step's number) is what the fault names; without a name all are hit."""
    value = fault(name)
    return value is not None and value in ("", str(default))


def at_step():
    """Called by the example workloads at the start of each step; steps count from 0."""
    step = _steps[0]
    _steps[0] += 1
    if fault("slow_steps") is not None:
        time.sleep(float(fault("slow_steps") or 100) / 1000)
    if step == 0:
        _noise()
    if fault("setsid_child") is not None and step == 0:
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    if fault("shm_left") is not None and step == 0:
        open("/dev/shm/DynamicProfileNpuShm%d" % os.getpid(), "w").close()
    if fault("pkill_python") is not None and step == 1:
        subprocess.call(["pkill", "-s", "0", "-f", "python"])  # those of this session: the run's
    if fault("crash_at_step") == str(step):
        raise RuntimeError("simulated crash in step %d" % step)
    if fault("exit_at_step") == str(step):
        os._exit(3)
    if fault("kill_at_step") == str(step):
        os.kill(os.getpid(), signal.SIGKILL)
    while fault("hang_at_step") == str(step):
        time.sleep(1)


def _noise():
    if fault("stderr_flood") is not None:
        line = b"E99999: a line of a flood\n" * 4096
        for _ in range(int(float(fault("stderr_flood") or 1) * 1048576 / len(line)) + 1):
            os.write(2, line)
    if fault("binary_output") is not None:
        os.write(1, bytes(range(256)) * 16 + b"\x1b[31mred\x1b[0m\x1b]0;title\x07\n")
    sys.stdout.flush()
