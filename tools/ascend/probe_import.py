# Whether torch_npu can really be imported here, and how many devices it sees. What goes wrong is on standard error.
import json, sys

found = {"torch": None, "torch_npu": None, "device_count": None}


def tell():
    sys.stderr.flush()
    print("\nNPUPROF_FOUND " + json.dumps(found))
    sys.stdout.flush()


try:
    import torch
    found["torch"] = str(torch.__version__)
    import torch_npu
    found["torch_npu"] = str(torch_npu.__version__)
    found["device_count"] = int(torch.npu.device_count())
except BaseException:
    import traceback
    traceback.print_exc()
tell()
