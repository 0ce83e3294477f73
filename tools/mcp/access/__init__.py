"""Access to tools: who calls, what the scope allows, and the fault for a tool that is not offered."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .caller import SCOPES, Caller, Scope, get_caller, set_caller
    from .unknown_tool import make_unknown_tool_fault

__all__ = ["SCOPES", "Caller", "Scope", "get_caller", "make_unknown_tool_fault", "set_caller"]

__getattr__ = export_lazily(
    __name__,
    {
        "caller": ["SCOPES", "Caller", "Scope", "get_caller", "set_caller"],
        "unknown_tool": ["make_unknown_tool_fault"],
    },
)
