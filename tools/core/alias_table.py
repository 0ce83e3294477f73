"""The aliases of the tools; `make commands` generates this file from the declarations."""

from __future__ import annotations

ALIASES: dict[str, str] = {
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
"""Alias, case-sensitive -> the tool's name; looking up an alias imports no tool."""
