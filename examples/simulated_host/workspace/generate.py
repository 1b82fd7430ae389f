"""An ordinary program that knows nothing of profiling: denoises a latent for a number of steps. Profiled by `hook`, with
denoise:Denoiser.__call__ as the step."""

import argparse

import torch

from denoise import Denoiser


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="npu:0")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    torch.npu.set_device(options.device)
    torch.manual_seed(7)
    model = Denoiser(options.device, 24, 2)
    latent = torch.randn(16, 24, device=options.device)
    for _ in range(options.steps):
        latent = model(latent)
    torch.npu.synchronize()
    print("generated", latent.shape)


if __name__ == "__main__":
    main()
