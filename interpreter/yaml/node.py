"""Nodes of a YAML document, with their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.problems import Place

from .scalars import to_key_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a document.

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
    """

    kind: Literal["map", "list", "scalar"]
    place: Place
    items: tuple[tuple[Node, Node], ...] = ()
    children: tuple[Node, ...] = ()
    value: Any = None
    style: str = ""
    size: int = 1
    characters: int = 0
    indent: int | None = None
    folds: tuple[tuple[int, int, int], ...] = ()
    _index: Mapping[str, tuple[Node, Node]] | None = field(default=None, init=False, repr=False, compare=False)

    def get(self, key: str) -> Node | None:
        """Return the value of this key of a map."""
        pair = self._find_pair(key)
        return pair[1] if pair else None

    def get_key(self, key: str) -> Node | None:
        """Return the node of the key itself."""
        pair = self._find_pair(key)
        return pair[0] if pair else None

    def _find_pair(self, key: str) -> tuple[Node, Node] | None:
        if self._index is None:
            index = {to_key_text(pair[0].value): pair for pair in reversed(self.items)}
            object.__setattr__(self, "_index", index)  # a cache in a frozen value
            return index.get(key)
        return self._index.get(key)

    def to_data(self) -> Any:
        """Convert to a plain Python value; keys that are not strings become their text."""
        if self.kind == "map":
            return {to_key_text(name.value): value.to_data() for name, value in self.items}
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


def make_map(place: Place, items: tuple[tuple[Node, Node], ...]) -> Node:
    """Create a map of these keys and values."""
    size, characters = 1, 0
    for key, value in items:
        size += key.size + value.size
        characters += key.characters + value.characters
    return Node("map", place, items=items, size=size, characters=characters)


def make_list(place: Place, children: Iterable[Node]) -> Node:
    """Create a list of these members."""
    members = tuple(children)
    size = 1 + sum(node.size for node in members)
    return Node("list", place, children=members, size=size, characters=sum(node.characters for node in members))


def _make_place(path: str, line: int, column: int, length: int) -> Place:
    return Place(path, line, column, line, column + max(length, 1))
