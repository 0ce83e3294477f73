"""The toolsets that a host may ask for beside the three tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

if TYPE_CHECKING:
    from collections.abc import Iterable

ALL_TOOLSETS = "all"

TOOLSETS: dict[str, str] = {
    "core": "The three tools that every host sees: run a phase, search, read.",
    "graph": "The code graph: callers, implementations, members, neighbours, ways between, what changed.",
    "knowledge": "What people and runs have taught the memory: add, forget, find themes, bring in and hand out.",
    "workflow": "Workflows: list, show, check, simulate, compare, explain.",
    "runs": "Runs in flight and ended: list, show, explain.",
    "agents": "The agents that the project and the person have defined.",
    "admin": "Upkeep: index, figures, integrity, repair, backups, logs, the tools themselves.",
}
"""Each toolset with what is in it; `all` is every one of them."""


def parse_toolsets(asked: Iterable[str]) -> frozenset[str]:
    """The toolsets that are meant: names with commas or spaces between them, in any number of texts.

    Raises:
        Fault: INVALID_INPUT for one that does not exist.
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
