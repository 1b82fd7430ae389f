"""Looks at what a step returned: tensors, arrays, images, and whatever holds them."""

import dataclasses
import math
import sys

LIMIT = 64       # values described
DEPTH = 6
HOLDERS = ("images", "frames", "videos", "audios", "sample", "logits", "last_hidden_state", "sequences", "outputs")


def describe(value):
    """(outputs, problems): one entry a value found, and what is wrong with them, in words."""
    found = []
    _collect(value, "", found, 0, set())
    problems = []
    for entry in found:
        place = entry.get("path") or "the output"
        if entry.get("empty"):
            problems.append("%s is empty (shape %s)" % (place, entry.get("shape")))
        if entry.get("has_nan"):
            problems.append("%s has NaN in it" % place)
    looked_at = [entry for entry in found if "all_zero" in entry]
    if looked_at and all(entry["all_zero"] for entry in looked_at):
        problems.append("every value of the output is zero")
    return found, problems


def _collect(value, path, found, depth, seen):
    if value is None or depth > DEPTH or len(found) >= LIMIT or id(value) in seen:
        return
    entry = _entry(value)
    if entry is not None:
        if path:
            entry["path"] = path
        found.append(entry)
        return
    seen.add(id(value))
    for name, part in _parts(value):
        _collect(part, path + name, found, depth + 1, seen)


def _parts(value):
    if isinstance(value, dict):
        return [("[%r]" % (key,), part) for key, part in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [("[%d]" % index, part) for index, part in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [("." + field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return [("." + name, getattr(value, name)) for name in HOLDERS if hasattr(value, name)]


def _entry(value):
    kind = type(value).__name__
    try:
        if _is_tensor(value):
            return _tensor(value, kind)
        if _is_array(value):
            return _array(value, kind)
        if _is_image(value):
            return _image(value, kind)
    except Exception as error:
        return {"type": kind, "error": "%s: %s" % (type(error).__name__, error)}
    if isinstance(value, bool):
        return {"type": kind, "shape": []}
    if isinstance(value, (int, float)):
        return {"type": kind, "shape": [], "has_nan": math.isnan(value)}
    if isinstance(value, (str, bytes)):
        return {"type": kind, "shape": [len(value)], "empty": len(value) == 0}
    return None


def _is_tensor(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _is_image(value):
    """PIL's Image, or whatever has its size, mode and getextrema."""
    return isinstance(getattr(value, "size", None), tuple) and callable(getattr(value, "getextrema", None))


def _tensor(tensor, kind):
    torch = sys.modules["torch"]
    entry = {"type": kind, "shape": list(tensor.shape), "dtype": str(tensor.dtype), "empty": tensor.numel() == 0}
    if not entry["empty"]:
        entry["all_zero"] = int(torch.count_nonzero(tensor).item()) == 0
        entry["has_nan"] = bool(torch.isnan(tensor).any().item())
        entry["has_inf"] = bool(torch.isinf(tensor).any().item())
    return entry


def _array(array, kind):
    numpy = sys.modules["numpy"]
    entry = {"type": kind, "shape": list(array.shape), "dtype": str(array.dtype), "empty": array.size == 0}
    if not entry["empty"] and array.dtype.kind in "biufc":
        entry["all_zero"] = not bool(array.any())
        entry["has_nan"] = bool(numpy.isnan(array).any()) if array.dtype.kind in "fc" else False
        entry["has_inf"] = bool(numpy.isinf(array).any()) if array.dtype.kind in "fc" else False
    return entry


def _image(image, kind):
    entry = {"type": kind, "shape": list(image.size), "dtype": str(getattr(image, "mode", "")),
             "empty": 0 in image.size}
    if not entry["empty"]:
        extrema = image.getextrema()
        pairs = extrema if isinstance(extrema[0], tuple) else (extrema,)
        entry["all_zero"] = all(low == high == 0 for low, high in pairs)
    return entry
