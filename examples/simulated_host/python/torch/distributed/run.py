"""torchrun of the simulated host: starts the processes of one node with their ranks, ends all when one fails."""

import argparse
import os
import signal
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nproc_per_node", type=int, default=1)
    parser.add_argument("--master_addr", default="127.0.0.1")
    parser.add_argument("--master_port", default="29500")
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    workers = []
    for rank in range(options.nproc_per_node):
        environment = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(options.nproc_per_node),
                           MASTER_ADDR=options.master_addr, MASTER_PORT=options.master_port)
        workers.append(subprocess.Popen([sys.executable, "-u", options.training_script] + options.training_script_args,
                                        env=environment))
    while any(worker.poll() is None for worker in workers):
        if any(worker.poll() for worker in workers):
            for worker in workers:
                worker.send_signal(signal.SIGTERM)
        time.sleep(0.05)
    return max(abs(worker.returncode) for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
