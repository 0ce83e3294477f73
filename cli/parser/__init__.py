"""Command line parser: the commands of the tools, with their options and help."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .groups import CommandGroup
    from .tool_command import build_command

__all__ = ["CommandGroup", "build_command"]

__getattr__ = export_lazily(
    __name__,
    {
        "groups": ["CommandGroup"],
        "tool_command": ["build_command"],
    },
)
