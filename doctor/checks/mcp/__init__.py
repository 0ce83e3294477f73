"""Checks that assistants can call Aurora through MCP."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .group import GROUP

__all__ = ["GROUP"]

__getattr__ = export_lazily(
    __name__,
    {
        "group": ["GROUP"],
    },
)
