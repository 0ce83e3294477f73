"""Reports of the hosts: the answer, and what they say of turns and tokens, read from their JSON output."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """What a host reports of a session; None is what it does not tell.

    Attributes:
        answer: the text for the person.
        turns: requests to the model.
        sent: tokens of these requests, those from a cache included.
        received: tokens of the model's replies.
        calls: calls of Aurora's tools.
    """

    answer: str = ""
    turns: int | None = None
    sent: int | None = None
    received: int | None = None
    calls: int | None = None


def read_events(output: str) -> Iterator[Event]:
    """Read the JSON objects that begin a line; other lines are messages of the host."""
    decoder = json.JSONDecoder()
    place = 0
    while place < len(output):
        if output[place] == "{":
            try:
                event, place = decoder.raw_decode(output, place)
            except json.JSONDecodeError:
                pass
            else:
                yield event
        place = output.find("\n", place) + 1 or len(output)


def read_claude_code(events: Iterable[Event]) -> Report:
    """Read the stream of Claude Code; the last event has the sums."""
    calls, result = 0, Event()
    for event in events:
        if event.get("type") == "assistant":
            parts = event["message"].get("content", ())
            calls += sum(part.get("type") == "tool_use" and "aurora_" in part["name"] for part in parts)
        elif event.get("type") == "result":
            result = event
    usage = result.get("usage", {})
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    sent = _add(usage.get(name) for name in names)
    return Report(result.get("result") or "", result.get("num_turns"), sent, usage.get("output_tokens"), calls)


def read_codex(events: Iterable[Event]) -> Report:
    """Read the stream of Codex, which does not tell the requests to its model."""
    answer, calls, usages = "", 0, []
    for event in events:
        item = event.get("item", {})
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            answer = item.get("text", "")
        elif event.get("type") == "item.completed" and item.get("type") == "mcp_tool_call":
            calls += "aurora" in item.get("server", "")
        elif event.get("type") == "turn.completed":
            usages.append(event.get("usage", {}))
    sent = _add(usage.get("input_tokens") for usage in usages)
    return Report(answer, None, sent, _add(usage.get("output_tokens") for usage in usages), calls)


def read_gemini(events: Iterable[Event]) -> Report:
    """Read the one document of Gemini CLI, with the sums of each model."""
    document = next((event for event in events if "response" in event or "stats" in event), Event())
    stats = document.get("stats", {})
    models = list(stats.get("models", {}).values())
    turns = _add(model.get("api", {}).get("totalRequests") for model in models)
    tokens = [model.get("tokens", {}) for model in models]
    sent = _add(one.get("prompt") for one in tokens)
    received = _add(one.get(name) for one in tokens for name in ("candidates", "thoughts"))
    tools = stats.get("tools", {}).get("byName", {})
    calls = sum(tool.get("count", 0) for name, tool in tools.items() if "aurora_" in name)
    return Report(document.get("response") or "", turns, sent, received, calls)


def read_opencode(events: Iterable[Event]) -> Report:
    """Read the stream of opencode; each step is a request to the model."""
    answer, calls, steps = "", 0, []
    for event in events:
        part = event.get("part", {})
        if event.get("type") == "text":
            answer = part.get("text", "")
        elif event.get("type") == "tool_use":
            calls += "aurora_" in part.get("tool", "")
        elif event.get("type") == "step_finish":
            steps.append(part.get("tokens", {}))
    caches = [step.get("cache", {}) for step in steps]
    cached = _add(cache.get(name) for cache in caches for name in ("read", "write"))
    sent = _add([cached, *(step.get("input") for step in steps)])
    received = _add(step.get(name) for step in steps for name in ("output", "reasoning"))
    return Report(answer, len(steps) or None, sent, received, calls)


def read_copilot_cli(events: Iterable[Event]) -> Report:
    """Read the stream of Copilot CLI."""
    answer, turns, calls, received = "", 0, 0, []
    for event in events:
        data = event.get("data") or {}
        if event.get("type") == "assistant.message":
            turns += 1
            answer = data.get("content") or answer
            received.append(data.get("outputTokens"))
        elif event.get("type") == "tool.execution_start":
            calls += "aurora" in f"{data.get('mcpServerName', '')} {data.get('toolName', '')}"
    return Report(answer, turns or None, None, _add(received), calls)


def _add(values: Iterable[int | None]) -> int | None:
    """Add the known values; None if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


READERS: dict[str, Callable[[Iterable[Event]], Report]] = {
    "claude-code": read_claude_code,
    "codex": read_codex,
    "gemini": read_gemini,
    "opencode": read_opencode,
    "copilot-cli": read_copilot_cli,
}
"""By the name that `aur init --hosts` takes."""
