"""Start of the server: its first calls, and the cache, which is checked and recorded for the next one."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .early_calls import run_early_calls
    from .preload import load_workflows, prepare_calls
    from .recorder import StartRecorder

__all__ = ["StartRecorder", "load_workflows", "prepare_calls", "run_early_calls"]

__getattr__ = export_lazily(
    __name__,
    {
        "recorder": ["StartRecorder"],
        "early_calls": ["run_early_calls"],
        "preload": ["load_workflows", "prepare_calls"],
    },
)
