"""Makes one profile on the simulated host and keeps it: make_profile.py DESTINATION FAULTS [script]

DESTINATION gets profile_l1/ and events.jsonl, as a run leaves them on a host.
"""

import os
import shutil
import sys

import simulated_run


class Maker(simulated_run.RunCase):
    def runTest(self):
        """Not a test: lends a run its scratch directory."""


def main(destination, faults, way="entry"):
    maker = Maker()
    maker.setUp()
    try:
        changes = {"script": "infer.py", "window": {"warmup_steps": 0}} if way == "script" else {}
        run = maker.finished(faults=faults, **changes)
        shutil.copytree(run.job["profile_dir"], os.path.join(destination, "profile_l1"))
        shutil.copy(os.path.join(run.directory, "events.jsonl"), destination)
        print(run.status()["state"])
    finally:
        maker.tearDown()
        maker.doCleanups()


if __name__ == "__main__":
    main(*sys.argv[1:])
