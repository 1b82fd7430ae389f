"""Ranks of one run: who we are, and meeting the others without needing HCCL (files in the run's directory)."""

import os
import sys
import time

import npuprof_report as report

POLL_S = 0.02


def rank_of():
    value = os.environ.get("RANK", "")
    if value.isdigit():
        return int(value)
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    try:
        if distributed is not None and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass
    return 0


def meet(job, name):
    """Waits until every rank of a run with several is here. The run's deadline ends a meeting that doesn't come about."""
    if job["nproc_per_node"] < 2:
        return
    directory = os.path.join(job["run_dir"], "meeting_" + name)
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, str(rank_of())), "w"):
        pass
    begun = time.monotonic()
    while len(os.listdir(directory)) < job["nproc_per_node"]:
        time.sleep(POLL_S)
    report.note("RANKS_MET", "at %s, after waiting %.0f ms" % (name, (time.monotonic() - begun) * 1000),
                {"meeting": name, "waited_ms": round((time.monotonic() - begun) * 1000, 1)})
