"""parser."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .command_table import COMMANDS
    from .groups import CommandGroup

__all__ = ["COMMANDS", "CommandGroup"]

__getattr__ = export_lazily(
    __name__,
    {
        "command_table": ["COMMANDS"],
        "groups": ["CommandGroup"],
    },
)
