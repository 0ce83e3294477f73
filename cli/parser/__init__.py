"""Command line parser: the commands of the tools, with their options and help."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .groups import CommandGroup
    from .options import complete_value
    from .tool_command import build_command

__all__ = ["CommandGroup", "build_command", "complete_value"]

__getattr__ = export_lazily(
    __name__,
    {
        "groups": ["CommandGroup"],
        "options": ["complete_value"],
        "tool_command": ["build_command"],
    },
)
