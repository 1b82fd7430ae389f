from .experimental_config import AiCMetrics, ExportType, ProfilerLevel, _ExperimentalConfig
from .profiler import profile, tensorboard_trace_handler
from .profiler_interface import ProfilerActivity, supported_activities
from .scheduler import ProfilerAction
from .scheduler import Schedule as schedule

__all__ = ["profile", "ProfilerActivity", "supported_activities", "tensorboard_trace_handler", "schedule",
           "ProfilerAction", "_ExperimentalConfig", "ProfilerLevel", "AiCMetrics", "ExportType"]
