"""Command line parser: the commands of the tools, with their options and help."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .groups import CommandGroup

__all__ = ["CommandGroup"]

__getattr__ = export_lazily(
    __name__,
    {
        "groups": ["CommandGroup"],
    },
)
