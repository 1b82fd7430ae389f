"""verdict.py REVISION SCORED LOG STATUS: what a run of the suite is worth; exits 0 only where every scenario passed,
scored or not.

The suite itself calls a run without any check a success, so the scenarios are counted here.
"""
import re
import sys

def main(revision, scored, log, status):
    text = open(log, encoding="utf-8", errors="replace").read()
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    head, _, tail = text.partition("\nNot scored for ")
    unscored = dict(
        (name, mark) for mark, name in re.findall(r"^\s+([✓✗]) (\S+) \(", tail, re.M)
    )
    results = {}
    for mark, name, passed, failed in re.findall(r"^([✓✗]) (\S+): (\d+) passed, (\d+) failed", head, re.M):
        results[name] = (mark == "✓" and int(failed) == 0, int(passed))
    # 2025-11-25 lists a scenario twice where it is both scored and not; the list of the unscored decides.
    counted = {name: result for name, result in results.items() if name not in unscored}
    good = [name for name, (ok, passed) in counted.items() if ok and passed > 0]
    bad = sorted(set(counted) - set(good))
    missed = [name for name, mark in unscored.items() if mark != "✓"]
    print(f"{revision}: {len(good)} of {scored} scored scenarios pass; "
          f"{len(unscored) - len(missed)} of {len(unscored)} unscored")
    for name in bad:
        print(f"  failed: {name}")
    for name in missed:
        print(f"  failed, not scored: {name}")
    if status != 0 or bad or missed or len(good) < scored:
        print(f"  the suite's exit code was {status}; its output is {log}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
