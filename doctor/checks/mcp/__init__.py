"""Checks that assistants can call Aurora through MCP."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .group import GROUP, MCPFunctionalChecks

__all__ = ["GROUP", "MCPFunctionalChecks"]

__getattr__ = export_lazily(
    __name__,
    {
        "group": ["GROUP", "MCPFunctionalChecks"],
    },
)
