# What Python says of itself and of its packages without importing them, and which device leases are held.
import json, os, sys

found = {"version": "%d.%d.%d" % sys.version_info[:3], "executable": sys.executable, "packages": {}, "modules": [],
         "locked": None}
try:
    from importlib import metadata
    for name in ("torch", "torch_npu", "torchvision", "numpy", "PyYAML", "transformers", "diffusers", "vllm",
                 "vllm_ascend", "triton_ascend", "mindiesd"):
        try:
            found["packages"][name] = metadata.version(name)
        except Exception:
            pass
except ImportError:
    found["packages"] = None
try:
    from importlib.util import find_spec
    for name in ("torch", "torch_npu"):
        if find_spec(name) is not None:  # a copy that was not installed as a package has no version to read
            found["modules"].append(name)
except Exception:
    pass


def locked(directory):
    """Names of the leases that somebody holds. Under the directory's mutex, so that nobody takes the look for a lease."""
    import fcntl, time
    mutex = os.open(os.path.join(directory, "mutex"), os.O_RDONLY | os.O_NOFOLLOW)
    for attempt in range(20):
        try:
            fcntl.flock(mutex, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if attempt == 19:
                return None
            time.sleep(0.05)
    held = []
    for name in sorted(os.listdir(directory)):
        if name.endswith(".lock"):
            file = os.open(os.path.join(directory, name), os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                held.append(name)
            os.close(file)
    os.close(mutex)
    return held


try:
    found["locked"] = locked(sys.argv[1])
except Exception:
    pass
print("\nNPUPROF_FOUND " + json.dumps(found))
