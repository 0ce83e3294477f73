"""Dialect of Codex: the Responses API of OpenAI, whose tools are in namespaces and found by a search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .turn import Move, Reply, Turn, join_text, make_id, to_events

if TYPE_CHECKING:
    from collections.abc import Iterable

SEARCH = "tool_search"
SEPARATOR = "/"
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
_OUTPUTS = ("function_call_output", "mcp_tool_call_output", "custom_tool_call_output")


def read(body: dict[str, Any]) -> Turn:
    """Read the turn from a request's body; a search adds its finds to the tools."""
    items = [item for item in body.get("input", ()) if isinstance(item, dict)]
    found = [tool for item in items if item.get("type") == f"{SEARCH}_output" for tool in item.get("tools") or ()]
    tools = _list_tools([*(body.get("tools") or ()), *found])
    results = tuple(join_text(item.get("output")) for item in items if item.get("type") in _OUTPUTS)
    return Turn(tools, results, search=SEARCH if SEARCH in tools else "")


def write(move: Move, body: dict[str, Any]) -> Reply:
    """Write the move as a stream; Codex asks for nothing else."""
    item = _make_item(move)
    response = {
        "id": make_id("resp"),
        "object": "response",
        "model": body.get("model", "scripted"),
        "status": "completed",
        "output": [item],
        "usage": USAGE,
    }
    return to_events(
        [
            {"type": "response.created", "response": {"id": response["id"]}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
    )


def _list_tools(declared: Iterable[dict[str, Any]]) -> dict[str, Any]:
    tools: dict[str, Any] = {}
    for tool in declared:
        name = tool.get("name") or tool.get("type", "")
        if "tools" in tool:
            tools.update({f"{name}{SEPARATOR}{inner['name']}": inner.get("parameters", {}) for inner in tool["tools"]})
        else:
            tools[name] = tool.get("parameters", {})
    return tools


def _make_item(move: Move) -> dict[str, Any]:
    if isinstance(move, str):
        content = [{"type": "output_text", "text": move, "annotations": []}]
        return {"type": "message", "id": make_id("msg"), "role": "assistant", "status": "completed", "content": content}
    base = {"call_id": make_id("call"), "status": "completed"}
    if move.tool == SEARCH:
        arguments = dict(move.arguments)
        return {**base, "type": f"{SEARCH}_call", "id": make_id("ts"), "execution": "client", "arguments": arguments}
    namespace, _, name = move.tool.rpartition(SEPARATOR)
    item = {
        **base,
        "type": "function_call",
        "id": make_id("fc"),
        "name": name,
        "arguments": json.dumps(dict(move.arguments)),
    }
    return {**item, "namespace": namespace} if namespace else item
