"""Fast reading of an ordinary document as plain values, without the places of its parts.

Most documents are read to run them, and nothing is reported about them. A tree with places takes three times as long
as the values alone, and is read when a place is needed first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled
from aurora.interpreter.problems import MAX_BYTES, Place

from .node import MAX_DEPTH, MAX_DIRECTIVES, MAX_NODES, Node, make_list, make_map, resolve_scalar, to_key_text
from .syntax_errors import parse_events
from .traps import SUSPECT

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


_TEXT_ONLY = frozenset({str})


class _UnusualError(Exception):
    """A part of a document that only the reader of trees can judge."""


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
        is_usual = decoded.count("\n%") <= MAX_DIRECTIVES and SUSPECT.search(decoded) is None
        return _read_document(decoded) if is_usual else None
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
        MappingStartEvent: reader.open,
        SequenceEndEvent: reader.close_list,
        SequenceStartEvent: reader.open,
    }
    for event in parse_events(text, pure=False):
        kind = event.__class__
        if kind is ScalarEvent:
            reader.add_scalar(event)
        elif kind in handlers:
            handlers[kind](event)
        elif kind.__name__ not in _FRAME_EVENTS:
            raise _UnusualError
    return reader.finish()


_FRAME_EVENTS = frozenset({"StreamStartEvent", "DocumentStartEvent", "DocumentEndEvent", "StreamEndEvent"})


class _Reader:
    """Reader of the events of one document.

    Of the open collection are kept its values, a map's keys and values by turns; its line; and the lines of its values
    where they are wanted. Those of the collections around it are on a stack.
    """

    def __init__(self) -> None:
        self._stack: list[tuple[list[Any], list[int] | None, int]] = []
        self._items: list[Any] = []
        self._item_lines: list[int] | None = None
        self._line = 0
        self._lines: dict[int, list[int]] = {}
        self._known: dict[str, Any] = {}  # documents repeat their words
        self._count = 0

    def add_scalar(self, event: Any) -> None:
        """Add a scalar to the open collection."""
        if event.anchor is not None or event.ctag is not None:
            raise _UnusualError
        self._count += 1
        text, known = event.value, self._known
        if event.style:
            value = text
        elif text in known:
            value = known[text]
        else:
            value = known[text] = resolve_scalar(text)
        self._items.append(value)
        if self._item_lines is not None:
            self._item_lines.append(event.start_mark.line + 1)

    def open(self, event: Any) -> None:
        """Open a map or a list."""
        stack = self._stack
        stack.append((self._items, self._item_lines, self._line))
        if event.anchor is not None or event.ctag is not None or len(stack) > MAX_DEPTH:
            raise _UnusualError
        self._count += 1
        self._items = []
        self._item_lines = [] if len(stack) in _LINED_DEPTHS else None
        self._line = event.start_mark.line + 1

    def close_map(self, _: Any) -> None:
        """Close a map, whose keys are different texts."""
        names, values = self._items[::2], self._items[1::2]
        made = dict(zip(names, values, strict=True))
        if not _TEXT_ONLY.issuperset(map(type, made)):
            names = [*map(to_key_text, names)]
            made = dict(zip(names, values, strict=True))
        if len(made) < len(names) or "<<" in made:
            raise _UnusualError
        if self._item_lines is not None:
            self._lines[id(made)] = self._item_lines[1::2]
        self._close(made)

    def close_list(self, _: Any) -> None:
        """Close a list."""
        if self._item_lines is not None:
            self._lines[id(self._items)] = self._item_lines
        self._close(self._items)

    def _close(self, made: Any) -> None:
        line = self._line
        self._items, self._item_lines, self._line = self._stack.pop()
        self._items.append(made)
        if self._item_lines is not None:
            self._item_lines.append(line)

    def finish(self) -> PlainDocument:
        """Return the document, if it is the only one and has no more values than a tree may have."""
        roots = self._items
        if len(roots) != 1 or not isinstance(roots[0], dict) or self._count > MAX_NODES:
            raise _UnusualError
        return PlainDocument(roots[0], self._lines)


def build_tree(value: Any, place: Place) -> Node:
    """Build the tree of a plain value, all of whose parts are at one place."""
    if isinstance(value, dict):
        pairs = ((build_tree(key, place), build_tree(inner, place)) for key, inner in value.items())
        return make_map(place, tuple(pairs))
    if isinstance(value, list):
        return make_list(place, (build_tree(inner, place) for inner in value))
    return Node("scalar", place, value=value, characters=len(value) if isinstance(value, str) else 0)
