"""Makes a run's directory, writes its files, and becomes `supervisor.py start`, which starts a run at most once.

argv: run_dir, "new" or "again" (an earlier call may have come to any point). stdin: {"files": {name: text}}.
On failure prints one JSON line {"ok": false, "error": {"code", "message"}}.
"""

import json
import os
import sys


def answer(**line):
    print(json.dumps(line))
    sys.exit(0)


def write(path, text):
    temporary = path + ".new"
    with open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, path)


def make_parents(run_dir):
    runs = os.path.dirname(run_dir)
    own = os.path.dirname(runs)
    for directory in (own, runs):
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            if os.path.islink(directory) or not os.path.isdir(directory):
                raise PermissionError("%s is a link or no directory" % directory)
    ignore = os.path.join(own, ".gitignore")
    if not os.path.exists(ignore):
        write(ignore, "*\n")


def main():
    run_dir, mode = sys.argv[1:3]
    files = json.load(sys.stdin)["files"]
    os.umask(0o077)
    make_parents(run_dir)
    try:
        os.mkdir(run_dir, 0o700)
    except FileExistsError:
        if mode == "new":
            answer(ok=False, error={"code": "ALREADY_EXISTS", "message": run_dir + " is there already"})
    if not os.path.exists(os.path.join(run_dir, "status.json")):
        for name, text in files.items():
            write(os.path.join(run_dir, name), text)
    python = sys.executable or "python3"
    os.execv(python, [python, os.path.join(run_dir, "supervisor.py"), "start", run_dir])


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        code = {2: "NOT_FOUND", 13: "PERMISSION_DENIED", 1: "PERMISSION_DENIED", 30: "PERMISSION_DENIED", 28: "NO_SPACE",
                122: "NO_SPACE"}.get(error.errno, "IO_ERROR")
        if isinstance(error, PermissionError):
            code = "PERMISSION_DENIED"
        answer(ok=False, error={"code": code, "message": str(error)})
