"""A stand-in for PyTorch on the simulated Ascend host: two-dimensional float tensors that really compute, slowly.

It has no name that PyTorch lacks, and a tiny part of those that PyTorch has.
"""

import math
import os
import random
import time

from simulated_npu import device as _device
from simulated_npu import faults as _faults

__version__ = "2.6.0+cpu"

float32 = type("dtype", (), {"__repr__": lambda self: "torch.float32"})()
bool = type("dtype", (), {"__repr__": lambda self: "torch.bool"})()

_generator = random.Random(0)


class Tensor:
    def __init__(self, data, shape, device="cpu", dtype=float32):
        self._data = data
        self.shape = tuple(shape)
        self.device = device
        self.dtype = dtype
        self._size = 4 * len(data)
        _device.allocate(self._size)

    def __del__(self):
        _device.free(getattr(self, "_size", 0))

    def numel(self):
        return len(self._data)

    def item(self):
        if len(self._data) != 1:
            raise RuntimeError("a Tensor with %d elements cannot be converted to Scalar" % len(self._data))
        return self._data[0]

    def tolist(self):
        if len(self.shape) < 2:
            return list(self._data)
        width = self.shape[1]
        return [self._data[row * width:(row + 1) * width] for row in range(self.shape[0])]

    def any(self):
        return Tensor([any(self._data)], (), self.device, bool)

    def t(self):
        rows, columns = self.shape
        return Tensor([self._data[row * columns + column] for column in range(columns) for row in range(rows)],
                      (columns, rows), self.device)

    def to(self, device):
        return Tensor(list(self._data), self.shape, device, self.dtype)

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return mul(self, other)

    def __repr__(self):
        return "tensor(..., size=%r, device=%r)" % (self.shape, self.device)


def manual_seed(seed):
    _generator.seed(seed)


def randn(*size, device="cpu"):
    count = math.prod(size)
    return Tensor([_generator.gauss(0, 1) for _ in range(count)], size, device)


def zeros(*size, device="cpu"):
    return Tensor([0.0] * math.prod(size), size, device)


def matmul(input, other):
    rows, inner, columns = input.shape[0], input.shape[1], other.shape[1]
    if other.shape[0] != inner:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    def compute():
        left, right = input._data, list(zip(*[iter(other._data)] * columns))
        turned = list(zip(*right))
        data = []
        for row in range(rows):
            line = left[row * inner:(row + 1) * inner]
            data.extend(sum(map(float.__mul__, line, column)) for column in turned)
        return Tensor(data, (rows, columns), input.device), (rows, columns)

    return _launch("matmul", "MatMulV2", "AI_CORE", [input, other], compute, rows * inner * columns)


def softmax(input, dim):
    if dim not in (-1, 1):
        raise RuntimeError("the simulated device knows softmax over the last dimension only")

    def compute():
        data = []
        for line in input.tolist():
            top = max(line)
            line = [math.exp(value - top) for value in line]
            total = sum(line)
            data.extend(value / total for value in line)
        return Tensor(data, input.shape, input.device), input.shape

    return _launch("softmax", "SoftmaxV2", "AI_VECTOR_CORE", [input], compute)


def _elementwise(name, kernel, function, input, other):
    def compute():
        if isinstance(other, Tensor):
            data = list(map(function, input._data, other._data))
        else:
            data = [function(value, other) for value in input._data]
        return Tensor(data, input.shape, input.device), input.shape

    return _launch(name, kernel, "AI_VECTOR_CORE", [input] + [other] * isinstance(other, Tensor), compute)


def add(input, other):
    return _elementwise("add", "Add", lambda left, right: left + right, input, other)


def mul(input, other):
    return _elementwise("mul", "Mul", lambda left, right: left * right, input, other)


def relu(input):
    return _elementwise("relu", "Relu", lambda left, _: max(left, 0.0), input, 0)


def isnan(input):
    return Tensor([value != value for value in input._data], input.shape, input.device, bool)


def isinf(input):
    return Tensor([math.isinf(value) for value in input._data], input.shape, input.device, bool)


def count_nonzero(input):
    return Tensor([sum(1 for value in input._data if value != 0)], (), input.device)


def _launch(name, kernel, core, tensors, compute, work=None):
    if not str(tensors[0].device).startswith("npu"):
        return compute()[0]
    return _device.launch(name, kernel, core, [tensor.shape for tensor in tensors], work or tensors[0].numel(), compute)


def compile(model=None):
    """Compiles at the first call, and again in as many later calls as the fault recompiles:N says."""
    from ._dynamo.utils import counters
    left = [1 + int(_faults.fault("recompiles") or 0)]

    def compiled(*arguments):
        if left[0]:
            left[0] -= 1
            time.sleep(0.03)
            counters["stats"]["unique_graphs"] += 1
        return model(*arguments)

    return compiled


# As from PyTorch 2.5 on: a backend that is installed is loaded with torch itself.
if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1":
    try:
        import torch_npu as _torch_npu  # noqa: F401
    except ImportError as error:
        raise RuntimeError("Failed to load the backend extension: torch_npu. You can disable extension auto-loading with "
                           "TORCH_DEVICE_BACKEND_AUTOLOAD=0.") from error
