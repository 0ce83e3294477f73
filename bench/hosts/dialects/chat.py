"""Dialect of opencode, Copilot CLI, Qwen Code, Cline CLI and Continue CLI: the Chat Completions API of OpenAI."""

from __future__ import annotations

import json
from typing import Any

from .turn import Event, Move, Reply, ToolCall, Turn, join_text, make_id

_SEARCH = "tool_search"
"""Qwen Code's tool for finding further tools."""
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def read(body: dict[str, Any]) -> Turn:
    """Read the turn from a request's body."""
    functions = [tool["function"] for tool in body.get("tools") or ()]
    tools = {function["name"]: function.get("parameters", {}) for function in functions}
    results = (message for message in body["messages"] if message.get("role") == "tool")
    search = _SEARCH if _SEARCH in tools else ""
    return Turn(tools, tuple(join_text(message.get("content")) for message in results), search)


def write(move: Move, body: dict[str, Any]) -> Reply:
    """Write the move as a stream, or as one document where the request asks for no stream."""
    content = _make_content(move)
    finish = "tool_calls" if isinstance(move, ToolCall) else "stop"
    base = {"id": make_id("chatcmpl"), "created": 1, "model": body.get("model", "scripted")}
    if not body.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", **content}, "finish_reason": finish}
        return {**base, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    chunk = {**base, "object": "chat.completion.chunk"}
    steps: tuple[dict[str, Any], ...] = (
        {"index": 0, "delta": {"role": "assistant", **content}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": finish},
    )
    documents = [*({**chunk, "choices": [step]} for step in steps), {**chunk, "choices": [], "usage": USAGE}]
    return (*(Event(json.dumps(document)) for document in documents), Event("[DONE]"))


def _make_content(move: Move) -> dict[str, Any]:
    if isinstance(move, str):
        return {"content": move}
    function = {"name": move.tool, "arguments": json.dumps(dict(move.arguments))}
    return {
        "content": None,
        "tool_calls": [{"index": 0, "id": make_id("call"), "type": "function", "function": function}],
    }
