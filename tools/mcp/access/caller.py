"""Caller of a request: the name and the scope that a server over HTTP knows from its token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

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
