"""Documents generated from the commands and the tools."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .commands_md import build_manual

__all__ = ["build_manual"]

__getattr__ = export_lazily(
    __name__,
    {
        "commands_md": ["build_manual"],
    },
)
