"""What a host is told of a tool that is not offered: what it is called here, or which toolset would bring it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, find_nearest, quote_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from aurora.tools.core import Tool


def make_unknown_tool_fault(name: str, offered: Collection[str]) -> Fault:
    """The fault for a name that no offered tool has.

    Args:
        name: as it was asked for, maybe the tool's name elsewhere: `mem.search`, `mem_search`, `aur mem search`.
        offered: the names that are taken.
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
    """The tool that goes by this name on some surface; this imports them all."""
    from aurora.tools.catalog import find_tool  # noqa: PLC0415 - only who asks for what is not there pays for it

    try:
        return find_tool(name[:80])
    except Fault:
        return None
