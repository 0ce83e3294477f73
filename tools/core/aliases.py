"""Other names of the tools: those that the systems Aurora comes from use, in one literal.

It stands here so that a name is resolved by one look-up and no tool is imported for it; a test holds it against the
tools' own declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    "check_deployment_readiness": "readiness.check",
    "check_graph_integrity": "mem.check",
    "consolidate_memories": "mem.consolidate",
    "discover_goals": "mem.goals",
    "discover_sub_goals": "mem.goals",
    "find_callers": "graph.callers",
    "find_implementations": "graph.implementations",
    "get_node_details": "graph.node",
    "get_story_context": "runs.show",
    "get_type_members": "graph.members",
    "list_backups": "mem.backups",
    "list_stories": "runs.list",
    "repair_graph": "mem.repair",
    "suggest_workflow": "workflow.suggest",
    "trigger_consolidation": "mem.consolidate",
    "why_connected": "graph.path",
}
"""Alias -> the tool's name; exactly, and by case."""


def resolve_alias(name: str) -> str:
    """The tool's name for an alias; any other name as it is."""
    return ALIASES.get(name, name)


def refuse_collisions(aliases: Mapping[str, str], names: Mapping[str, object]) -> None:
    """Make sure that no alias hides a tool, and that each leads to one.

    Raises:
        ValueError: our own mistake, found when the toolbox is built.
    """
    for alias, name in aliases.items():
        if alias in names:
            raise ValueError(f'"{alias}" is an alias of {name} and the name of a tool')
        if name not in names:
            raise ValueError(f'the alias "{alias}" leads to "{name}", and there is no such tool')
