"""Dialects of model APIs: each reads a host's request as a turn, and writes the model's move as a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import anthropic, chat, gemini, responses
from .turn import Event, Move, Reply, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DIALECTS", "Dialect", "Event", "Move", "Reply", "ToolCall", "Turn", "find_dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """An API: the end of its path, and the functions that read and write it."""

    path: str
    read: Callable[[dict[str, Any]], Turn]
    write: Callable[[Move, dict[str, Any]], Reply]


DIALECTS = (
    Dialect("/messages", anthropic.read, anthropic.write),
    Dialect("/responses", responses.read, responses.write),
    Dialect("/chat/completions", chat.read, chat.write),
    Dialect("enerateContent", gemini.read, gemini.write),
)


def find_dialect(path: str) -> Dialect | None:
    """Find the dialect of a request by its path, without the query string."""
    return next((dialect for dialect in DIALECTS if path.endswith(dialect.path)), None)
