"""Fast reading of an ordinary document as plain values, without the places of its parts.

Most documents are read to run them, and nothing is reported about them. A tree with places takes three times as long
as the values alone, and is read when a place is needed first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled
from aurora.interpreter.problems import MAX_BYTES, Place

from .limits import MAX_DEPTH, MAX_DIRECTIVES, MAX_NODES
from .node import Node, make_list, make_map
from .scalars import resolve_scalar, to_key_text
from .syntax_errors import parse_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LINED_DEPTHS = (3, 4)
"""Depths of the collections whose lines are kept: the phases of a workflow, and the lists in them."""


@dataclass(frozen=True, slots=True)
class PlainDocument:
    """The values of a document.

    Attributes:
        data: the value of the document, a mapping.
        lines: of the collections three and four deep, by their identity, the line of each value in them.
    """

    data: dict[str, Any]
    lines: Mapping[int, Sequence[int]]


class _UnusualError(Exception):
    """A part of a document that only the reader of trees can judge."""


@dataclass(slots=True)
class _Collection:
    """A map or a list that is not closed yet; a map has its keys and values by turns."""

    is_map: bool
    line: int
    lines: list[int] | None
    items: list[Any] = field(default_factory=list)


def read_plain(text: bytes | str) -> PlainDocument | None:
    """Read an ordinary document; None for one that is unusual or wrong, which `read_yaml` reads.

    An ordinary document is a mapping with different texts as keys, without anchors, aliases, tags and merge keys. Its
    values are those of its tree, and reading that tree reports nothing.
    """
    if len(text) > MAX_BYTES:
        return None
    check_cancelled()
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        return _read_document(decoded) if decoded.count("\n%") <= MAX_DIRECTIVES else None
    except Exception:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
        return None


def _read_document(text: str) -> PlainDocument:
    """Read the only document of a text.

    Raises:
        _UnusualError: it is no ordinary one.
    """
    from ruamel.yaml.events import (  # noqa: PLC0415 - 20 ms that `aur --help` must not pay
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
    )

    reader = _Reader()
    handlers = {
        MappingEndEvent: reader.close_map,
        MappingStartEvent: reader.open_map,
        ScalarEvent: reader.add_scalar,
        SequenceEndEvent: reader.close_list,
        SequenceStartEvent: reader.open_list,
    }
    for event in parse_events(text, pure=False):
        handle = handlers.get(event.__class__)
        if handle is not None:
            handle(event)
        elif event.__class__.__name__ not in _FRAME_EVENTS:
            raise _UnusualError
    return reader.finish()


_FRAME_EVENTS = frozenset({"StreamStartEvent", "DocumentStartEvent", "DocumentEndEvent", "StreamEndEvent"})


class _Reader:
    """Reader of the events of one document."""

    def __init__(self) -> None:
        self._current = _Collection(is_map=False, line=0, lines=None)
        self._stack: list[_Collection] = []
        self._lines: dict[int, list[int]] = {}
        self._count = 0

    def add_scalar(self, event: Any) -> None:
        """Add a scalar to the open collection."""
        if event.anchor is not None or event.ctag is not None:
            raise _UnusualError
        self._count += 1
        text, opened = event.value, self._current
        opened.items.append(text if event.style else resolve_scalar(text))
        if opened.lines is not None:
            opened.lines.append(event.start_mark.line + 1)

    def open_map(self, event: Any) -> None:
        """Open a map."""
        self._open(event, is_map=True)

    def open_list(self, event: Any) -> None:
        """Open a list."""
        self._open(event, is_map=False)

    def _open(self, event: Any, *, is_map: bool) -> None:
        depth = len(self._stack) + 1
        if event.anchor is not None or event.ctag is not None or depth > MAX_DEPTH:
            raise _UnusualError
        self._count += 1
        self._stack.append(self._current)
        self._current = _Collection(is_map, event.start_mark.line + 1, [] if depth in _LINED_DEPTHS else None)

    def close_map(self, _: Any) -> None:
        """Close a map, whose keys are different texts."""
        closed = self._current
        names, values = closed.items[::2], closed.items[1::2]
        if set(map(type, names)) - {str}:
            names = [to_key_text(name) if name.__class__ not in (dict, list) else _reject() for name in names]
        made = dict(zip(names, values, strict=True))
        if len(made) < len(names) or "<<" in made:
            raise _UnusualError
        if closed.lines is not None:
            self._lines[id(made)] = closed.lines[1::2]
        self._add_closed(made)

    def close_list(self, _: Any) -> None:
        """Close a list."""
        closed = self._current
        if closed.lines is not None:
            self._lines[id(closed.items)] = closed.lines
        self._add_closed(closed.items)

    def _add_closed(self, made: Any) -> None:
        line, opened = self._current.line, self._stack.pop()
        self._current = opened
        opened.items.append(made)
        if opened.lines is not None:
            opened.lines.append(line)

    def finish(self) -> PlainDocument:
        """Return the document, if it is the only one and has no more values than a tree may have."""
        roots = self._current.items
        if len(roots) != 1 or not isinstance(roots[0], dict) or self._count > MAX_NODES:
            raise _UnusualError
        return PlainDocument(roots[0], self._lines)


def _reject() -> str:
    raise _UnusualError


def build_tree(value: Any, place: Place) -> Node:
    """Build the tree of a plain value, all of whose parts are at one place."""
    if isinstance(value, dict):
        pairs = ((build_tree(key, place), build_tree(inner, place)) for key, inner in value.items())
        return make_map(place, tuple(pairs))
    if isinstance(value, list):
        return make_list(place, (build_tree(inner, place) for inner in value))
    return Node("scalar", place, value=value, characters=len(value) if isinstance(value, str) else 0)
