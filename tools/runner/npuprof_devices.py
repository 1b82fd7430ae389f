"""The device a workload runs on, as far as the runner needs it: name, synchronise, peak memory."""

import npuprof_report as report


class Npu:
    name = "npu"

    def __init__(self, index):
        try:
            import torch
            import torch_npu
        except Exception as error:  # since PyTorch 2.5 a broken torch_npu is a RuntimeError of `import torch`
            cause = error.__cause__ or error
            raise report.Failure("IMPORT_FAILED", "torch_npu can't be imported: %s; nothing ran" % cause,
                                 "Source CANN's set_env.sh (set_env of the target) and check the Python of the target.")
        self.torch = torch
        self.torch_npu = torch_npu
        self.device = "npu:%d" % index
        try:
            torch.npu.set_device(self.device)
        except Exception as error:
            raise report.Failure("DEVICE_UNKNOWN", "device %s can't be used: %s" % (self.device, error),
                                 "Run precheck to see which devices torch sees on this target.")
        torch.npu.reset_peak_memory_stats()

    def synchronize(self):
        self.torch.npu.synchronize()

    def peak_memory_mb(self):
        return round(self.torch.npu.max_memory_allocated() / 1048576.0, 3)


class Cpu:
    name = "cpu"
    device = "cpu"

    def __init__(self):
        try:
            import torch
        except ImportError as error:
            raise report.Failure("IMPORT_FAILED", "torch can't be imported: %s; nothing ran" % error,
                                 "Name a Python that has PyTorch as the target's python.")
        self.torch = torch

    def synchronize(self):
        pass

    def peak_memory_mb(self):
        return None


def open_device(job):
    if job["backend"] == "cpu":
        return Cpu()
    return Npu(job["device_ids"][0] if job["device_ids"] else 0)
