"""What `tools/list` says: each tool from its declaration, and the query tool's schema from the workflows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.core.registry import ALWAYS

from .schema import input_schema, output_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core.declaration import Tool
    from aurora.tools.core.project import Project

QUERY = ALWAYS[0]


def listing(project: Project, tools: Iterable[Tool[Any, Any]]) -> list[dict[str, Any]]:
    """The tools as MCP lists them, as JSON; when read-only without those that write, which would only be refused."""
    return [entry(project, tool) for tool in tools if tool.risk == "read" or not project.read_only]


def entry(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    """One tool as MCP lists it.

    Returns:
        Its name, title, description, schemas, and annotations; `_meta` tells its aliases, and for the three tools that
        a host which hides schemas behind a search shall load them with the first request.
    """
    meta: dict[str, Any] = {}
    if tool.name in ALWAYS:
        meta["anthropic/alwaysLoad"] = True
    if tool.aliases:
        meta["aurora/aliases"] = list(tool.aliases)
    listed: dict[str, Any] = {
        "name": tool.mcp,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": _arguments(project, tool),
        "outputSchema": output_schema(tool.output),
        "annotations": {
            "readOnlyHint": tool.risk == "read",
            "destructiveHint": tool.risk == "high",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    return {**listed, "_meta": meta} if meta else listed


def _arguments(project: Project, tool: Tool[Any, Any]) -> dict[str, Any]:
    if tool.name != QUERY:
        return input_schema(tool.input)
    # The interpreter is needed for this one only, and its import is a good part of the start.
    from aurora.tools.workflows.query import query_schema  # noqa: PLC0415 - see above

    return query_schema(project)
