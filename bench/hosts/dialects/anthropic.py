"""Dialect of Claude Code: the Messages API of Anthropic."""

from __future__ import annotations

import json
from typing import Any

from .turn import Move, Reply, ToolCall, Turn, join_text, make_id, to_events

SEARCHES = ("ToolSearch", "WaitForMcpServers")
"""Tools of the host that bring further tools: those that it hides, and those of a server that is still starting."""
USAGE = {"input_tokens": 1, "output_tokens": 1}


def read(body: dict[str, Any]) -> Turn:
    """Read the turn from a request's body."""
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools", ())}
    parts = [
        part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
    ]
    searches = {part["id"] for part in parts if part.get("type") == "tool_use" and part["name"] in SEARCHES}
    results = [part for part in parts if part.get("type") == "tool_result" and part["tool_use_id"] not in searches]
    search = next((name for name in SEARCHES if name in tools), "")
    return Turn(tools, tuple(join_text(part.get("content")) for part in results), search)


def write(move: Move, body: dict[str, Any]) -> Reply:
    """Write the move as a stream, or as one document where the request asks for no stream."""
    calls = isinstance(move, ToolCall)
    message = {
        "id": make_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "stop_sequence": None,
        "usage": USAGE,
    }
    block = _make_block(move)
    reason = "tool_use" if calls else "end_turn"
    if not body.get("stream"):
        return {**message, "content": [block], "stop_reason": reason}
    return to_events(
        [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {**block, **_make_start(move)}},
            {"type": "content_block_delta", "index": 0, "delta": _make_delta(move)},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": USAGE},
            {"type": "message_stop"},
        ]
    )


def _make_block(move: Move) -> dict[str, Any]:
    if isinstance(move, ToolCall):
        return {"type": "tool_use", "id": make_id("toolu"), "name": move.tool, "input": dict(move.arguments)}
    return {"type": "text", "text": move}


def _make_start(move: Move) -> dict[str, Any]:
    return {"input": {}} if isinstance(move, ToolCall) else {"text": ""}


def _make_delta(move: Move) -> dict[str, Any]:
    if isinstance(move, ToolCall):
        return {"type": "input_json_delta", "partial_json": json.dumps(dict(move.arguments))}
    return {"type": "text_delta", "text": move}
