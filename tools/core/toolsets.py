"""Toolsets: groups of tools that a host may add to the three default tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

if TYPE_CHECKING:
    from collections.abc import Iterable

ALL_TOOLSETS = "all"

TOOLSETS: dict[str, str] = {
    "core": "The three default tools: run a phase, search, read.",
    "graph": "The code graph: callers, implementations, members, neighbors, paths, changes.",
    "knowledge": "Knowledge from people and runs: add, forget, find themes, import and export.",
    "workflow": "Workflows: list, show, check, simulate, compare, explain.",
    "runs": "Open and finished runs: list, show, explain.",
    "agents": "The agents that the project and the user define.",
    "admin": "Maintenance: index, statistics, integrity, repair, backups, logs, the list of tools.",
}
"""Toolset -> its tools in a sentence; `all` selects every toolset."""


def parse_toolsets(asked: Iterable[str]) -> frozenset[str]:
    """Return the toolsets that are named, separated by commas or spaces, in any number of texts.

    Raises:
        Fault: INVALID_INPUT for an unknown toolset.
    """
    names = {name for text in asked for name in text.replace(",", " ").split()}
    known = {*TOOLSETS, ALL_TOOLSETS}
    for name in sorted(names - known):
        meant = did_you_mean(name, known)
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no toolset "{name[:80]}"' + (f"; {meant}" if meant else ""),
            help=f"The toolsets are {quote_names(known)}.",
            details={"toolset": name[:80], "choices": sorted(known)},
        )
    return frozenset(TOOLSETS) if ALL_TOOLSETS in names else frozenset(names | {"core"})
