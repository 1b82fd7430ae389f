import os
import socket
import time

from simulated_npu import capture as _capture
from simulated_npu import device as _device
from simulated_npu import export as _export
from simulated_npu.faults import fault as _fault

from .profiler_interface import ProfilerActivity, supported_activities
from .scheduler import ProfilerAction

_target = {"dir_name": None, "worker_name": None}


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    _target.update(dir_name=dir_name, worker_name=worker_name)

    def handler(prof):
        if analyse_flag:
            if _fault("export_offline_only") is not None:
                print("[ERROR] Profiling data parsing failed.", flush=True)
                return
            _export.export(prof._folder)

    return handler


class _KinetoProfile:
    def __init__(self, *, activities=None, record_shapes=False, profile_memory=False, with_stack=False,
                 with_flops=False, with_modules=False, experimental_config=None):
        from .experimental_config import _ExperimentalConfig
        self._activities = set(activities) if activities else supported_activities()
        self._config = experimental_config or _ExperimentalConfig()
        self._with = {"record_shapes": record_shapes, "profile_memory": profile_memory, "with_stack": with_stack,
                      "with_flops": with_flops, "with_modules": with_modules}
        self._metadata = {}
        self._folder = None

    def add_metadata(self, key, value):
        self._metadata[key] = value

    def start(self):
        self._begin()

    def stop(self):
        self._finish()

    def _begin(self):
        _device.recording[0] = _device.Recording()
        self._folder = _make_folder()

    def _finish(self):
        recording, _device.recording[0] = _device.recording[0], None
        if self._folder is not None and recording is not None:
            _capture.write(self._folder, recording, self)


class profile(_KinetoProfile):
    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, use_cuda=None):
        super().__init__(activities=activities, record_shapes=record_shapes, profile_memory=profile_memory,
                         with_stack=with_stack, with_flops=with_flops, with_modules=with_modules,
                         experimental_config=experimental_config)
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = schedule(0) if schedule else ProfilerAction.RECORD
        self.stopped = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exe_type, exe_val, exc_tb):
        self.stop()

    def start(self):
        self._move(ProfilerAction.NONE, self.current_action)
        self._open_step()

    def step(self):
        self._close_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num) if self.schedule else ProfilerAction.RECORD
        self._move(before, self.current_action)
        self._open_step()

    def stop(self):
        if self.stopped:
            return
        self._close_step()
        self._move(self.current_action, None)
        self.stopped = True

    def _move(self, before, after):
        """What the real one does between two steps: open the folder when warming up, record, flush, hand over."""
        recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if _fault("inert") is not None:
            return
        if after == ProfilerAction.WARMUP and self._folder is None:
            self._folder = _make_folder()
            if _fault("warmup_leak") is not None:
                _device.recording[0] = _device.Recording()
        elif after in recording and _device.recording[0] is None:
            _device.recording[0] = _device.Recording()
            self._folder = self._folder or _make_folder()
        saved = before == ProfilerAction.RECORD_AND_SAVE or (before == ProfilerAction.RECORD and after is None)
        if before in recording and (saved or after not in recording):
            self._finish()
            if saved and self.on_trace_ready:
                self.on_trace_ready(self)
            self._folder = None

    def _open_step(self):
        """Steps are numbered by events of the framework: without ProfilerActivity.CPU there are none."""
        recording = _device.recording[0]
        if recording is not None and self.schedule and ProfilerActivity.CPU in self._activities:
            recording.step = self.step_num
            recording.steps.append([self.step_num, time.time_ns(), 0])

    def _close_step(self):
        recording = _device.recording[0]
        if recording is not None and recording.step is not None:
            recording.steps[-1][2] = time.time_ns()
            recording.step = None


def analyse(profiler_path, max_process_number=max(1, (os.cpu_count() or 2) // 2), export_type=None):
    names = [profiler_path] if profiler_path.rstrip("/").endswith("_ascend_pt") else [
        os.path.join(profiler_path, name) for name in sorted(os.listdir(profiler_path)) if name.endswith("_ascend_pt")]
    for name in names:
        _export.export(name)


def _make_folder():
    base = _target["dir_name"]
    if not base:
        work = os.environ.get("ASCEND_WORK_PATH")
        base = os.path.join(work, "profiling_data") if work else os.getcwd()
    worker = _target["worker_name"] or socket.gethostname()
    now = time.time_ns()
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now // 1000000000)) + "%03d" % (now // 1000000 % 1000)
    folder = os.path.join(base, "%s_%d_%s_ascend_pt" % (worker, os.getpid(), stamp))
    os.makedirs(folder, 0o750, exist_ok=True)
    return folder
