"""The device below the stand-in torch_npu: runs operators on the CPU and keeps what a profiler would see of them.

This package has no counterpart on a real host. Everything a real host has too lies in torch and torch_npu beside it.
"""
