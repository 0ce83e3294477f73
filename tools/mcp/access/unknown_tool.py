"""Fault for a tool that is not offered, with its name here or the toolset that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, find_nearest, quote_names
from aurora.tools import catalog

if TYPE_CHECKING:
    from collections.abc import Collection

    from aurora.tools.core import Tool


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
        return catalog.find_tool(name[:80])
    except Fault:
        return None
