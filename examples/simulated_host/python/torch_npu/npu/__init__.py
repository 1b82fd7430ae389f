"""torch.npu, as far as it is simulated."""

from simulated_npu import device as _device


def set_device(device):
    index = int(str(device).rpartition(":")[2])
    if not 0 <= index < _device.COUNT:
        raise RuntimeError("error code is 107001\nEE1001: The argument is invalid. Reason: invalid device, set drv device=%d, "
                           "valid device range is [0, %d)"
                           % (index, _device.COUNT))
    _device.current[0] = index


def current_device():
    return _device.current[0]


def device_count():
    return _device.COUNT


def synchronize(device=None):
    """Operators of the simulated device have ended when their call returns."""


def memory_allocated(device=None):
    return _device.allocated[0]


def max_memory_allocated(device=None):
    return _device.allocated[1]


def reset_peak_memory_stats(device=None):
    _device.allocated[1] = _device.allocated[0]


def empty_cache():
    """Nothing is cached here."""
