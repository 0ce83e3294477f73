"""Start of the server: its first calls, and the cache, which is checked and recorded for the next one."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .early_calls import run_early_calls
    from .preload import warm_up
    from .recorder import StartRecorder

__all__ = ["StartRecorder", "run_early_calls", "warm_up"]

__getattr__ = export_lazily(
    __name__,
    {
        "recorder": ["StartRecorder"],
        "early_calls": ["run_early_calls"],
        "preload": ["warm_up"],
    },
)
