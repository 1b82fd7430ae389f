"""A small inference service with the routes that vLLM has: /health, /generate, /start_profile, /stop_profile.

    serve.py PORT      listens on that port of the loopback
"""

import http.server
import json
import os
import sys

import torch
import torch_npu

from denoise import Denoiser, faults


def fault(name):
    return faults.fault(name) if faults else None


class Handler(http.server.BaseHTTPRequestHandler):
    model = None
    profiler = None

    def do_GET(self):
        self.answer(200, {"ready": True})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        routes = {"/generate": self.generate, "/start_profile": self.start_profile, "/stop_profile": self.stop_profile}
        route = routes.get(self.path)
        if route is None or (fault("no_profile_route") is not None and "profile" in self.path):
            self.answer(404, {"detail": "Not Found"})
        else:
            self.answer(200, route())

    def generate(self):
        latent = Handler.model(torch.randn(8, 16, device="npu:0"))
        return {"sum": sum(map(sum, latent.tolist()))}

    def start_profile(self):
        if fault("start_swallowed") is None:
            profiler = torch_npu.profiler
            Handler.profiler = profiler.profile(
                on_trace_ready=profiler.tensorboard_trace_handler(os.environ["VLLM_TORCH_PROFILER_DIR"]),
                experimental_config=profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1))
            Handler.profiler.start()
        return {}

    def stop_profile(self):
        if Handler.profiler is not None:
            Handler.profiler.stop()
        return {}

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    torch.npu.set_device("npu:0")
    Handler.model = Denoiser("npu:0", 16, 1)
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
