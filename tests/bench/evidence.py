"""evidence.py PROGRAM [--quick]: how fast CANN output is read, against Python's json and csv, and how that grows.

Speed is by CPU time of one core, so that other work on the machine does not change it much; wall time stands beside it.
"""

import json
import os
import subprocess
import sys
import tempfile

PYTHON = """
import csv, json, resource, sys, time
start = time.process_time()
if sys.argv[1].endswith(".json"):
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)
    rows = len(events)
    total = sum(event["dur"] for event in events if event["ph"] == "X")
else:
    rows = total = 0
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows += 1
            total += float(row["Duration(us)"])
print(json.dumps({"rows": rows, "cpu_seconds": time.process_time() - start,
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""
NAMES = {"trace": "trace_view.json", "kernels": "kernel_details.csv"}


def run(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def made(program, folder, kind, megabytes):
    path = os.path.join(folder, NAMES[kind])
    subprocess.run([program, "make", kind, path, str(megabytes)], check=True)
    return path


def show(kind, megabytes, read):
    print("%-8s %6d MB  %7.0f MB/s of a core  %7.0f MB/s by the clock  peak %5.1f MB  %9d rows" % (
        kind, megabytes, read["bytes"] / read["cpu_seconds"] / 1e6, read["bytes"] / read["seconds"] / 1e6,
        read["peak_kb"] / 1024, read["rows"]))


def main():
    program, quick = sys.argv[1], "--quick" in sys.argv
    sizes = {"trace": 60, "kernels": 15} if quick else {"trace": 600, "kernels": 150}
    growth = [1, 10] if quick else [10, 100, 2000]
    ours = theirs = 0.0
    failed = False
    with tempfile.TemporaryDirectory(prefix="npuprof-bench-") as folder:
        for kind, megabytes in sizes.items():
            path = made(program, folder, kind, megabytes)
            read = run(program, "read", path)
            python = run(sys.executable, "-c", PYTHON, path)
            show(kind, megabytes, read)
            print("%-8s %6d MB  Python: %.1f s, peak %.0f MB; ratio %.1f" % (
                kind, megabytes, python["cpu_seconds"], python["peak_kb"] / 1024,
                python["cpu_seconds"] / read["cpu_seconds"]))
            if read["rows"] != python["rows"]:
                print("rows differ: %d here, %d in Python" % (read["rows"], python["rows"]))
                failed = True
            ours += read["cpu_seconds"]
            theirs += python["cpu_seconds"]
            os.remove(path)
        print("both: %.1f times as fast as Python" % (theirs / ours))
        for kind in sizes:
            for megabytes in growth:
                path = made(program, folder, kind, megabytes)
                show(kind, megabytes, run(program, "read", path))
                os.remove(path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
