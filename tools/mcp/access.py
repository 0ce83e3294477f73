"""Access to tools: who calls, what the scope allows, and the fault for a tool that is not offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from aurora.errors import Code, Fault, find_nearest, quote_names
from aurora.tools.catalog.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, MutableMapping

    from aurora.tools.core import Tool

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""Scopes; each includes those before it."""
_KEY = "aurora.caller"
_NEEDED: Mapping[str, Scope] = {"read": "read", "write": "write", "high": "admin"}
"""Risk of a tool -> the scope that a caller needs."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Caller of a request.

    Attributes:
        name: who calls, for the journal of a run; empty for the account of this process.
        scope: `read` changes nothing and keeps no runs, `write` adds, `admin` may lose stored data.
    """

    name: str = ""
    scope: Scope = "admin"

    def may_use(self, tool: Tool[Any, Any]) -> bool:
        """Return True if the tool is listed for this caller, and can be called."""
        return self._includes(tool) or tool.is_offered_read_only

    def require(self, tool: Tool[Any, Any], arguments: Mapping[str, Any]) -> None:
        """Reject a call that needs another scope.

        Args:
            tool: the tool.
            arguments: its unchecked arguments; with some, a tool that is listed for a reader writes.

        Raises:
            Fault: FORBIDDEN.
        """
        if self._includes(tool) or (self.may_use(tool) and tool.is_allowed_read_only(arguments)):
            return
        needed = _NEEDED[tool.risk]
        raise Fault(
            Code.FORBIDDEN,
            f'"{tool.mcp}" needs the scope "{needed}", and this token has "{self.scope}"',
            help=f"Ask the operator of the server for a token with the scope {needed}.",
            details={"tool": tool.mcp, "risk": tool.risk, "scope": self.scope, "needs": needed},
        )

    def _includes(self, tool: Tool[Any, Any]) -> bool:
        return SCOPES.index(_NEEDED[tool.risk]) <= SCOPES.index(self.scope)


_OWN_ASSISTANT = Caller()


def set_caller(scope: MutableMapping[str, Any], caller: Caller) -> None:
    """Record the caller in the scope of an ASGI request."""
    scope[_KEY] = caller


def get_caller(request: Any) -> Caller:
    """Return the caller of a request over HTTP; over another transport, the person's own assistant."""
    found: Caller = getattr(request, "scope", {}).get(_KEY, _OWN_ASSISTANT)
    return found


def make_unknown_tool_fault(name: str, offered: Collection[str]) -> Fault:
    """Return the fault for a name that no offered tool has.

    Args:
        name: the requested name, perhaps the tool's name on another surface: `mem.search`, `aur mem search`.
        offered: the names of the offered tools, as `tools/list` has them.
    """
    meant = _find_by_any_name(name)
    if meant is not None and meant.mcp and meant.mcp not in offered:
        return Fault(
            Code.NOT_FOUND,
            f'the tool "{name[:80]}" is not offered here',
            help=f'It is in the toolset "{meant.family}": `aur mcp --toolsets {meant.family}`, or AURORA_TOOLSETS.',
            details={"tool": name[:80], "toolset": meant.family, "choices": sorted(offered)},
        )
    guess = meant.mcp if meant is not None and meant.mcp else find_nearest(name, offered)
    return Fault(
        Code.NOT_FOUND,
        f'there is no tool "{name[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
        help=f"The tools here are {quote_names(offered)}.",
        details={"tool": name[:80], "suggestion": guess, "choices": sorted(offered)},
    )


def _find_by_any_name(name: str) -> Tool[Any, Any] | None:
    """Return the tool with this name on any surface; this imports every tool."""
    try:
        return find_tool(name[:80])
    except Fault:
        return None
