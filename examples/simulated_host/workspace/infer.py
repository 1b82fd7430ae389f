"""A program that profiles itself: --device_id N --profile [--warmup-steps N]. Its profile lands in ./profile_l1."""

import argparse

import torch
import torch_npu

from denoise import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_id", type=int, default=0)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--warmup-steps", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()

    device = "npu:%d" % options.device_id
    torch.npu.set_device(device)
    step = build(device)
    for _ in range(options.warmup_steps):
        step()
        torch.npu.synchronize()
    if options.profile:
        profile(step, options.steps)
    else:
        step()
    print("inference done")


def profile(step, steps):
    config = torch_npu.profiler._ExperimentalConfig(
        profiler_level=torch_npu.profiler.ProfilerLevel.Level1,
        aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization)
    with torch_npu.profiler.profile(
            activities=[torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU],
            schedule=torch_npu.profiler.schedule(wait=0, warmup=0, active=steps, repeat=1),
            on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./profile_l1"),
            record_shapes=True, profile_memory=True, with_stack=True, experimental_config=config) as prof:
        for _ in range(steps):
            step()
            torch.npu.synchronize()
            prof.step()


if __name__ == "__main__":
    main()
