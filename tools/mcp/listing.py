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
    """Return the tools as JSON for MCP; in a read-only project without those that write."""
    return [to_mcp_tool(project, tool) for tool in tools if tool.is_offered_read_only or not project.read_only]


def to_mcp_tool(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    """Return one tool as JSON for MCP.

    Returns:
        Its name, title, description, schemas, and annotations; `_meta` has its aliases, and for the default tools
        the request to load their schemas at once, for a host that hides schemas behind a search.
    """
    meta: dict[str, Any] = {}
    if tool.name in DEFAULT_TOOLS:
        meta["anthropic/alwaysLoad"] = True
    if tool.aliases:
        meta["aurora/aliases"] = list(tool.aliases)
    listed: dict[str, Any] = {
        "name": tool.mcp,
        "title": tool.title,
        "description": tool.description,
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


def _build_arguments_schema(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    if tool.name != QUERY_TOOL:
        return build_input_schema(tool.input)
    return workflows.build_query_schema(project)
