"""Dialect of Gemini CLI: generateContent of Google."""

from __future__ import annotations

import json
from typing import Any

from aurora.interpreter.lab.generate import generate_least_value

from .turn import Event, Move, Reply, ToolCall, Turn

USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}


def read(body: dict[str, Any]) -> Turn:
    """Read the turn from a request's body."""
    declared = [function for tool in body.get("tools") or () for function in tool.get("functionDeclarations", ())]
    tools = {function["name"]: function.get("parametersJsonSchema", {}) for function in declared}
    parts = [part for content in body.get("contents", ()) for part in content.get("parts", ())]
    results = (part["functionResponse"].get("response", {}) for part in parts if "functionResponse" in part)
    return Turn(tools, tuple(_read_response(response) for response in results))


def write(move: Move, body: dict[str, Any]) -> Reply:
    """Write the move as a stream of one event; the address of the request asks for it."""
    part: dict[str, Any] = {"text": move}
    schema = (body.get("generationConfig") or {}).get("responseJsonSchema")
    if schema:  # from 30 turns on the host asks whether the model is in a loop; the least value says no
        part = {"text": json.dumps(generate_least_value(schema))}
    elif isinstance(move, ToolCall):
        part = {"functionCall": {"name": move.tool, "args": dict(move.arguments)}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    document = {"candidates": [candidate], "usageMetadata": USAGE}
    return (Event(json.dumps(document)),) if body.get("stream") else document


def _read_response(response: dict[str, Any]) -> str:
    for key in ("output", "error"):
        if isinstance(response.get(key), str):
            return str(response[key])
    return json.dumps(response)
