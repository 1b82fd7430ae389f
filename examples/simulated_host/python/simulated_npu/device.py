"""One simulated device: runs an operator at once on the CPU, and compiles each kind of operator when first met.

How long a kernel takes is modelled from its work, well above what the CPU needs for it, and waited for: so that times
hold still on a busy machine.
"""

import random
import sys
import threading
import time

from .faults import fault

COUNT = 2
COMPILE_S = 0.012     # what the first call of an operator with new shapes costs more
LAUNCH_NS = 4000      # between the host's call and the kernel's start
START_NS = 300000     # of any kernel
WORK_NS = 150         # of one multiplication, or one element
JITTER = 0.03

current = [0]
compiled = set()
allocated = [0, 0]    # bytes now, and at the highest


class Recording:
    """What the device saw while a profiler was recording."""

    def __init__(self):
        self.kernels = []
        self.steps = []   # [step id, start ns, end ns]
        self.step = None  # the step that goes on, where steps are numbered


recording = [None]
_random = random.Random(1)


def allocate(size):
    allocated[0] += size
    allocated[1] = max(allocated)


def free(size):
    allocated[0] -= size


def launch(operator, kernel, core, inputs, work, compute):
    """Runs compute() as the kernel of an operator. `inputs` are the shapes of its inputs, `work` what it has to do."""
    begun = time.time_ns()
    compile_ns = 0
    key = (operator, tuple(map(tuple, inputs)))
    if key not in compiled or _compile_now():
        compiled.add(key)
        time.sleep(COMPILE_S)
        compile_ns = time.time_ns() - begun
    started = time.time_ns() + LAUNCH_NS
    result, shape = compute()
    modelled = int((START_NS + WORK_NS * work) * _random.uniform(1 - JITTER, 1 + JITTER))
    ended = max(time.time_ns(), started + modelled)
    if recording[0] is not None:
        recording[0].kernels.append({
            "step": recording[0].step, "operator": operator, "kernel": kernel, "core": core, "begun": begun,
            "compile": compile_ns, "started": started, "ended": ended,
            "inputs": [list(part) for part in inputs], "output": list(shape), "thread": threading.get_ident() % 1000000,
            "stack": stack(), "allocated": allocated[0]})
    time.sleep(max(0, ended - time.time_ns()) / 1e9)
    return result


def _compile_now():
    """The fault compile_in_window: once, in the third step that is recorded."""
    if fault("compile_in_window") is None or recording[0] is None or recording[0].step is None:
        return False
    if len(recording[0].steps) == 3 and not getattr(recording[0], "has_compiled", False):
        recording[0].has_compiled = True
        time.sleep(0.05)
        return True
    return False


def stack():
    """The Python frames outside the stand-ins, innermost first."""
    found = []
    frame = sys._getframe(2)
    while frame is not None and len(found) < 8:
        path = frame.f_code.co_filename
        if "/simulated_host/python/" not in path:
            found.append("%s(%d): %s" % (path, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return found
