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
        if index is None:
            self.device = "npu"
            return
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


def open_device(job, local_rank=0):
    """The device of one rank of the run, made current."""
    if job["backend"] == "cpu":
        return Cpu()
    if local_rank >= len(job["device_ids"]):
        raise report.Failure("INVALID_ARGUMENTS", "local rank %d has no device among %s" % (local_rank, job["device_ids"]))
    return Npu(job["device_ids"][local_rank])


def attach(job):
    """The device that the program itself has made current."""
    return Cpu() if job["backend"] == "cpu" else Npu(None)
