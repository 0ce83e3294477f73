"""Command line parser: the commands of the tools, with their options and help."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .described import DescribedArgument, DescribedCommand, format_examples
    from .groups import CommandGroup
    from .options import complete_value
    from .tool_command import build_command

__all__ = [
    "CommandGroup",
    "DescribedArgument",
    "DescribedCommand",
    "build_command",
    "complete_value",
    "format_examples",
]

__getattr__ = export_lazily(
    __name__,
    {
        "described": ["DescribedArgument", "DescribedCommand", "format_examples"],
        "groups": ["CommandGroup"],
        "options": ["complete_value"],
        "tool_command": ["build_command"],
    },
)
