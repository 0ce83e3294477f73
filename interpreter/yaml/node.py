"""Nodes of a YAML document, with their places."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aurora.interpreter.problems import Place

from .scalars import to_key_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Pair = tuple["Node", "Node"]
"""A key and its value."""


class Node(NamedTuple):
    """A piece of a document; a tuple, because a large document has tens of thousands.

    Attributes:
        kind: `map`, `list` or `scalar`.
        place: its place in the file.
        items: the keys and values of a map.
        children: the members of a list.
        value: the Python value of a scalar (str, int, float, bool or None).
        style: the style of a scalar: `'`, `"`, `|`, `>`, `*` for an alias, or empty.
        size: the number of its nodes, with aliases expanded.
        characters: the number of characters of its scalars, with aliases expanded.
        indent: the indentation of a block scalar whose lines are the same in the file and in `value`.
        folds: of any other scalar of several lines, the offset of each line in `value` with its line and column.
        positions: of a map, the first position of each key among its items.
    """

    kind: Literal["map", "list", "scalar"]
    place: Place
    items: tuple[Pair, ...] = ()
    children: tuple[Node, ...] = ()
    value: Any = None
    style: str = ""
    size: int = 1
    characters: int = 0
    indent: int | None = None
    folds: tuple[tuple[int, int, int], ...] = ()
    positions: Mapping[str, int] | None = None

    def get(self, key: str) -> Node | None:
        """Return the value of this key of a map."""
        pair = self._find_pair(key)
        return pair[1] if pair else None

    def get_key(self, key: str) -> Node | None:
        """Return the node of the key itself."""
        pair = self._find_pair(key)
        return pair[0] if pair else None

    def _find_pair(self, key: str) -> Pair | None:
        at = self.positions.get(key) if self.positions else None
        return self.items[at] if at is not None else None

    def to_data(self) -> Any:
        """Convert to a plain Python value; keys that are not strings become their text."""
        if self.kind == "map":
            return {
                to_key_text(name.value): value.value if value.kind == "scalar" else value.to_data()
                for name, value in self.items
            }
        if self.kind == "list":
            return [child.to_data() for child in self.children]
        return self.value

    def locate_text(self, offset: int, length: int) -> Place:
        """Locate a part of a scalar's text, or all of it if escapes hide it."""
        place, text = self.place, str(self.value)
        if self.indent is not None:
            line = text.count("\n", 0, offset)
            column = offset - (text.rfind("\n", 0, offset) + 1) + self.indent + 1
            return _make_place(place.path, place.line + 1 + line, column, length)
        if self.folds:
            start, line, column = max(fold for fold in self.folds if fold[0] <= max(offset, self.folds[0][0]))
            return _make_place(place.path, line, column + max(offset - start, 0), length)
        quotes = {"": 0, "'": 1, '"': 1}.get(self.style)
        if quotes is None or place.line != place.end_line:
            return place
        if place.end_column - place.column != len(text) + 2 * quotes:  # an escape makes the written text longer
            return place
        return _make_place(place.path, place.line, place.column + quotes + offset, length)


def make_map(place: Place, items: tuple[Pair, ...]) -> Node:
    """Create a map of these keys and values."""
    names = [to_key_text(key.value) for key, _ in items]
    positions = dict(zip(names, range(len(names)), strict=True))
    if len(positions) < len(names):
        positions = {name: at for at, name in reversed([*enumerate(names)])}
    size, characters = _measure_nodes([*chain.from_iterable(items)])
    return Node("map", place, items, (), None, "", size, characters, None, (), positions)


def make_list(place: Place, children: Iterable[Node]) -> Node:
    """Create a list of these members."""
    members = tuple(children)
    size, characters = _measure_nodes(members)
    return Node("list", place, (), members, None, "", size, characters)


def _measure_nodes(inner: Sequence[Node]) -> tuple[int, int]:
    """Measure the size and the characters of a collection of these nodes."""
    return 1 + sum(map(_GET_SIZE, inner)), sum(map(_GET_CHARACTERS, inner))


_GET_SIZE, _GET_CHARACTERS = attrgetter("size"), attrgetter("characters")


def _make_place(path: str, line: int, column: int, length: int) -> Place:
    return Place(path, line, column, line, column + max(length, 1))
