"""Values between the dialects and the model: the turn that a host sends, and the move that the model makes."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a host.

    Attributes:
        tools: the JSON Schema of the arguments by the name of each offered tool.
        results: the text of each tool result in the conversation, the oldest first.
        search: the host's own tool for finding further tools; empty without one.
    """

    tools: Mapping[str, Any]
    results: tuple[str, ...]
    search: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of one tool."""

    tool: str
    arguments: Mapping[str, Any]


Move = ToolCall | str
"""A call of a tool, or the text that ends the host's turn."""


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; without a name it has only data."""

    data: str
    name: str = ""


Reply = tuple[Event, ...] | dict[str, Any]
"""A stream of events, or one JSON document."""


def make_id(prefix: str) -> str:
    """Make an identifier for a call or a message."""
    return f"{prefix}_{uuid.uuid4().hex[:20]}"


def to_events(documents: list[dict[str, Any]]) -> tuple[Event, ...]:
    """Convert documents to events named by their `type`."""
    return tuple(Event(json.dumps(document), str(document.get("type", ""))) for document in documents)


def join_text(content: Any) -> str:
    """Join the texts of a message's content: a string, a part, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(join_text(part) for part in content)
    if isinstance(content, dict) and "text" in content:
        return join_text(content["text"])
    return json.dumps(content)
