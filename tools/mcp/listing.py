"""What `tools/list` says: each tool from its declaration, and the query tool's schema from the workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.core import DEFAULT_TOOLS

from .schema import build_input_schema, build_output_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core import Project, Tool

QUERY_TOOL = DEFAULT_TOOLS[0]


def list_mcp_tools(project: Project, tools: Iterable[Tool[Any, Any]]) -> list[dict[str, Any]]:
    """The tools as MCP lists them, as JSON; when read-only without those that write, which would only be refused."""
    return [to_mcp_tool(project, tool) for tool in tools if tool.risk == "read" or not project.read_only]


def to_mcp_tool(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    """One tool as MCP lists it.

    Returns:
        Its name, title, description, schemas, and annotations; `_meta` tells its aliases, and for the three tools that
        a host which hides schemas behind a search shall load them with the first request.
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
            "readOnlyHint": tool.risk == "read",
            "destructiveHint": tool.risk == "high",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    return {**listed, "_meta": meta} if meta else listed


def _build_arguments_schema(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    if tool.name != QUERY_TOOL:
        return build_input_schema(tool.input)
    # The interpreter is needed for this one only, and its import is a good part of the start.
    from aurora.tools.workflows import build_query_schema  # noqa: PLC0415 - see above

    return build_query_schema(project)
