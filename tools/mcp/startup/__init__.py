"""Cache of the start: check the answers that this start gave, and record those for the next one."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .preload import warm_up
    from .recorder import StartRecorder

__all__ = ["StartRecorder", "warm_up"]

__getattr__ = export_lazily(
    __name__,
    {
        "recorder": ["StartRecorder"],
        "preload": ["warm_up"],
    },
)
