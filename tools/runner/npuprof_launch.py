"""How the workload's own program is started: alone, or once a device through torchrun."""

import os
import socket
import sys

import npuprof_report as report


def filled(job, arguments):
    """Arguments with what the run has chosen in place of {device_id}, {device_ids} and {profile_dir}."""
    ids = [str(index) for index in job["device_ids"]]
    values = {"{device_id}": ids[0] if ids else "0", "{device_ids}": ",".join(ids), "{profile_dir}": job["profile_dir"]}
    texts = []
    for text in arguments:
        for name, value in values.items():
            text = text.replace(name, value)
        texts.append(text)
    return texts


def python_command(job):
    """[python, ...] in front of a program's path."""
    if job["nproc_per_node"] < 2:
        return [sys.executable, "-u"]
    avoid_port_conflicts()
    return [sys.executable, "-u", "-m", "torch.distributed.run", "--nproc_per_node", str(job["nproc_per_node"]),
            "--master_addr", "127.0.0.1", "--master_port", str(free_port())]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def avoid_port_conflicts():
    """HCCL listens from port 60000 on, where two jobs of one host meet. Left alone where the caller has decided."""
    if not any(name in os.environ for name in ("HCCL_IF_BASE_PORT", "HCCL_HOST_SOCKET_PORT_RANGE")):
        base = 40000 + os.getpid() % 300 * 64
        os.environ["HCCL_IF_BASE_PORT"] = str(base)
        report.note("HCCL_PORTS", "HCCL_IF_BASE_PORT=%d, so that it does not meet another job at 60000" % base)
