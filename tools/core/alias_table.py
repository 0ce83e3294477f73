"""The aliases of the tools; `make commands` generates this file from the declarations."""

from __future__ import annotations

ALIASES: dict[str, str] = {
    "aura_find_callers": "graph.callers",
    "aura_find_implementations": "graph.implementations",
    "aura_get_story_context": "runs.show",
    "aura_get_type_members": "graph.members",
    "aura_list_stories": "runs.list",
    "aura_search_code": "mem.search",
    "check_deployment_readiness": "readiness.check",
    "check_graph_integrity": "mem.check",
    "consolidate_memories": "mem.consolidate",
    "discover_goals": "mem.goals",
    "discover_sub_goals": "mem.goals",
    "find_callers": "graph.callers",
    "find_implementations": "graph.implementations",
    "get_node_details": "graph.node",
    "get_routing_status": "runs.status",
    "get_story_context": "runs.show",
    "get_type_members": "graph.members",
    "get_workflow_state": "runs.status",
    "list_available_triads": "workflow.list",
    "list_backups": "mem.backups",
    "list_stories": "runs.list",
    "query_knowledge_graph": "mem.search",
    "repair_graph": "mem.repair",
    "search_knowledge": "mem.search",
    "suggest_workflow": "workflow.suggest",
    "trigger_consolidation": "mem.consolidate",
    "why_connected": "graph.path",
}
"""Alias, case-sensitive -> the tool's name; looking up an alias imports no tool."""
