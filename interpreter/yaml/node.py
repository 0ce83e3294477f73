"""Nodes of a YAML document with their places, their scalars, and limits of their size.

The limits are far above what a person writes: 2,000 phases, the most that a workflow has, are some 75,000 values.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aurora.interpreter.problems import Place, codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.interpreter.problems import Problem

MAX_DEPTH = 64
"""Collections around a value."""


MAX_NODES = 100_000
"""Values, counted after aliases are expanded, so that an alias bomb is an error and not a hang."""


MAX_CHARACTERS = 2_000_000
"""Characters of all values after aliases are expanded: a long text may have many aliases."""


MAX_MERGED_KEYS = 100_000
"""Keys that merge keys, `<<`, look at; a chain of them grows with the square of its length."""


MAX_ANCHORS = 10_000
"""Anchors, used or not."""


MAX_DIRECTIVES = 100
"""Lines that begin with `%`; the parser compares each `%TAG` with all others."""


MAX_UNUSED_ANCHORS = 50
"""Unused anchors that are reported one by one."""


MAX_READ_PROBLEMS = 150
"""Problems of a file behind which the rest is not read; fewer than a report lists, so that the last one is seen."""


MAX_REREAD_CHARACTERS = 4_000_000
"""Characters to read again after values without quotes."""


MAX_REREAD_NODES = 100_000
"""Values to read again after values without quotes."""


MAX_PURE_CHARACTERS = 100_000
"""Characters before a syntax error that the pure parser, 4 µs each, reads again for its better message."""


MAX_PURE_EVENTS = 10_000
"""Events of the pure parser, 40 µs each."""


class InvalidYamlError(Exception):
    """Invalid YAML behind which nothing can be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def make_limit_error(place: Place, message: str, *, help: str = "") -> InvalidYamlError:  # noqa: A002 - the wire's key
    """Create the error of a document that exceeds a limit."""
    return InvalidYamlError(codes.TOO_BIG.make_problem(place, message, help=help))


def display_path(path: Path) -> str:
    """Format the path for people: relative if it is inside the current folder."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def locate_file(path: Path) -> Place:
    """Return the place of a problem with the whole file: its start."""
    return Place(display_path(path), 1, 1, 1, 2)


def resolve_relative(node: Node, name: str) -> Path:
    """Resolve a file name in a document relative to the document's folder."""
    return Path(os.path.normpath(Path(node.place.path).absolute().parent / name))


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


# https://yaml.org/spec/1.2.2/#1032-tag-resolution
_NULL = frozenset({"", "~", "null", "Null", "NULL"})


_TRUE = frozenset({"true", "True", "TRUE"})

_FALSE = frozenset({"false", "False", "FALSE"})

_INTEGERS = (
    (re.compile(r"[-+]?[0-9]{1,300}\Z"), 10),
    (re.compile(r"0x[0-9a-fA-F]{1,300}\Z"), 16),
    (re.compile(r"0o[0-7]{1,300}\Z"), 8),
)
"""Bounded, because Python rejects integers of many thousand digits; a longer one is a text."""

_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")

_NUMBER_STARTS = frozenset("0123456789+-.")


# By the core schema of YAML 1.2: `yes` and `on` are texts, and `010` is ten.
def resolve_scalar(text: str) -> Any:
    """Resolve an unquoted scalar to null, a boolean, a number or a text."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text[0] not in _NUMBER_STARTS:
        return text
    for pattern, base in _INTEGERS:
        if pattern.match(text):
            return int(text, base)
    if _FLOAT.match(text) and abs(float(text)) != float("inf"):
        return float(text)
    return text


def to_key_text(value: Any) -> str:
    """Convert a key of any scalar type to its text, as in JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def build_tree(value: Any, place: Place) -> Node:
    """Build the tree of a plain value, all of whose parts are at one place."""
    if isinstance(value, dict):
        pairs = ((build_tree(key, place), build_tree(inner, place)) for key, inner in value.items())
        return make_map(place, tuple(pairs))
    if isinstance(value, list):
        return make_list(place, (build_tree(inner, place) for inner in value))
    return Node("scalar", place, value=value, characters=len(value) if isinstance(value, str) else 0)
