"""What a profiler left on disk. Judged by fresh files with rows in them, never by exit codes or by the word "done"."""

import os

OUTPUT = "ASCEND_PROFILER_OUTPUT"
SUFFIX = "_ascend_pt"
SLACK_S = 2.0  # coarse file times


def profile_folders(directory):
    """The *_ascend_pt folders in a directory, by name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    paths = [os.path.join(directory, name) for name in names if name.endswith(SUFFIX)]
    return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]


def tree_size(directory):
    size = count = 0
    for root, _, names in os.walk(directory):
        for name in names:
            try:
                size += os.lstat(os.path.join(root, name)).st_size
                count += 1
            except OSError:
                pass
    return size, count


def raw_of(folder):
    """What a captured, not yet exported folder holds."""
    names = os.listdir(folder)
    size, count = tree_size(folder)
    return {
        "path": folder,
        "bytes": size,
        "files": count,
        "raw": sorted(name for name in names if name.startswith("PROF_")),
        "profiler_info": any(name.startswith("profiler_info") and name.endswith(".json") for name in names),
    }


def has_rows(path):
    """Whether a file of a profiler's output holds anything beyond its header."""
    size = os.path.getsize(path)
    if path.endswith(".csv"):
        with open(path, "rb") as file:
            file.readline(1 << 20)
            return bool(file.readline(1 << 16).strip())
    return size > len("[]\n")


def exported_of(folder, since):
    """{files, with_rows, stale} of a folder's ASCEND_PROFILER_OUTPUT; `files` is empty where there is none."""
    output = os.path.join(folder, OUTPUT)
    found = {"path": folder, "files": [], "with_rows": 0, "stale": 0}
    try:
        names = sorted(os.listdir(output))
    except OSError:
        return found
    for name in names:
        path = os.path.join(output, name)
        if not name.endswith((".csv", ".json", ".db")) or not os.path.isfile(path):
            continue
        fresh = os.path.getmtime(path) >= since - SLACK_S
        rows = has_rows(path)
        found["files"].append({"name": name, "bytes": os.path.getsize(path), "has_rows": rows, "fresh": fresh})
        found["stale"] += not fresh
        found["with_rows"] += fresh and rows
    return found
