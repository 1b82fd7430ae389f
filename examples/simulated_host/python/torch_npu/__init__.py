"""A stand-in for torch_npu 2.6.0 (7.1.0) on the simulated Ascend host. See ../../README.md."""

import sys

from simulated_npu.faults import fault as _fault

if _fault("import_fails") is not None:
    raise ImportError("libhccl.so: cannot open shared object file: No such file or directory. Please check that the cann "
                      "package is installed. Please run 'source set_env.sh' in the CANN installation path.")

import torch

from . import npu
from . import profiler

__version__ = "2.6.0"

torch.npu = npu
sys.modules["torch.npu"] = npu
