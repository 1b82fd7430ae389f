from enum import Enum


class ProfilerActivity(Enum):
    CPU = 0
    NPU = 1


def supported_activities():
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}
