"""A small denoiser: attention and a feed-forward layer over a noisy latent, a few times.

Profiled with entry "denoise.py:build"; build() makes the model once, and what it returns runs one step.
"""

import torch

try:
    from simulated_npu import faults
except ImportError:  # on a real host
    faults = None


class Denoiser:
    def __init__(self, device, width, layers):
        self.layers = [{name: torch.randn(width, width, device=device) * (0.5 / width)
                        for name in ("query", "key", "value", "up", "down")} for _ in range(layers)]

    def __call__(self, latent):
        for layer in self.layers:
            query, key, value = (torch.matmul(latent, layer[name]) for name in ("query", "key", "value"))
            weights = torch.softmax(torch.matmul(query, key.t()), -1)
            latent = latent + torch.matmul(weights, value)
            latent = latent + torch.matmul(torch.relu(torch.matmul(latent, layer["up"])), layer["down"])
        return latent


def build(device, width=24, tokens=16, layers=2, compile=False):
    torch.manual_seed(7)
    model = Denoiser(device, width, layers)
    if compile:
        model = torch.compile(model)
    latent = torch.randn(tokens, width, device=device)

    def step():
        if faults:
            faults.at_step()
        return broken(model(latent))

    return step


def broken(latent):
    """What the faults of the simulated host make of an output."""
    if faults and faults.fault("nan_output") is not None:
        return latent * float("nan")
    if faults and faults.fault("zero_output") is not None:
        return latent * 0.0
    if faults and faults.fault("empty_output") is not None:
        return torch.zeros(0, 4)
    return latent
