"""Programs that phases run: what the person allows, and how a program is started, limited and ended."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .policy import AllowedCommand, CommandPolicy, load_policy
    from .process import end_programs
    from .program import describe_missing_program

__all__ = [
    "AllowedCommand",
    "CommandPolicy",
    "describe_missing_program",
    "end_programs",
    "load_policy",
]

__getattr__ = export_lazily(
    __name__,
    {
        "process": ["end_programs"],
        "policy": ["AllowedCommand", "CommandPolicy", "load_policy"],
        "program": ["describe_missing_program"],
    },
)
