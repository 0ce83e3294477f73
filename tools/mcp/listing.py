"""Result of `tools/list`.

Each tool comes from its declaration, the query tool's schema from the workflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools import workflows
from aurora.tools.core import DEFAULT_TOOLS

from .schema import build_input_schema, build_output_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core import Project, Tool

QUERY_TOOL = DEFAULT_TOOLS[0]


def list_mcp_tools(project: Project, tools: Iterable[Tool[Any, Any]]) -> list[dict[str, Any]]:
    """Return the tools as JSON for MCP; in a read-only project without those that write.

    The default tools have their aliases only next to other tools: every host pays for the list of the three by
    themselves in each session.
    """
    offered = [tool for tool in tools if tool.is_offered_read_only or not project.read_only]
    has_more = any(tool.name not in DEFAULT_TOOLS for tool in offered)
    return [to_mcp_tool(project, tool, has_aliases=has_more) for tool in offered]


def to_mcp_tool(project: Project, tool: Tool[Any, Any], *, has_aliases: bool = True) -> dict[str, Any]:
    """Return one tool as JSON for MCP.

    Args:
        project: the open project.
        tool: the declaration.
        has_aliases: name its aliases in the description and under `_meta`.

    Returns:
        Its name, title, description, schemas, and annotations. `_meta` of a default tool has the request to load its
        schemas at once, for a host that hides schemas behind a search.
    """
    meta: dict[str, Any] = {}
    if tool.name in DEFAULT_TOOLS:
        meta["anthropic/alwaysLoad"] = True
    if tool.aliases and has_aliases:
        meta["aurora/aliases"] = list(tool.alias_names)
    listed: dict[str, Any] = {
        "name": tool.mcp,
        "title": tool.title,
        "description": _describe_tool(tool) if has_aliases else tool.description,
        "inputSchema": _build_arguments_schema(project, tool),
        "outputSchema": build_output_schema(tool.output),
        "annotations": {
            "readOnlyHint": tool.risk == "read" or project.read_only,
            "destructiveHint": tool.risk == "high",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    return {**listed, "_meta": meta} if meta else listed


def _describe_tool(tool: Tool[Any, Any]) -> str:
    """Return the description, with the aliases and their arguments."""
    if not tool.aliases:
        return tool.description
    return f"{tool.description} Also called {', '.join(alias.describe() for alias in tool.aliases)}."


def _build_arguments_schema(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    if tool.name != QUERY_TOOL:
        return build_input_schema(tool.input)
    return workflows.build_query_schema(project)
