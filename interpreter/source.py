"""YAML text to a tree of nodes, each with its place; hostile text becomes a problem, never an exception.

The tree is built from the parser's events and not by `compose()`, because composing recurses (deep nesting ends the
process) and expands nothing lazily; with events, depth and size are bounded before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import codes
from .problems import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 1_048_576
MAX_DEPTH = 64
MAX_NODES = 100_000
"""Counted after aliases are expanded, so that an alias bomb is too big and not a hang."""


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a document.

    Attributes:
        kind: `map`, `list` or `scalar`.
        place: where it stands.
        items: the keys and values of a map.
        children: the members of a list.
        value: the Python value of a scalar (str, int, float, bool or None).
        style: how a scalar was quoted: `'`, `"`, `|`, `>` or empty.
        size: how many nodes it is, aliases expanded.
    """

    kind: Literal["map", "list", "scalar"]
    place: Place
    items: tuple[tuple[Node, Node], ...] = ()
    children: tuple[Node, ...] = ()
    value: Any = None
    style: str = ""
    size: int = 1

    def get(self, key: str) -> Node | None:
        """The value under this key of a map."""
        return next((value for name, value in self.items if name.value == key), None)

    def key(self, key: str) -> Node | None:
        """The node of the key itself."""
        return next((name for name, _ in self.items if name.value == key), None)

    def data(self) -> Any:
        """The plain Python value; keys that are not strings become their text."""
        if self.kind == "map":
            return {_key_text(name.value): value.data() for name, value in self.items}
        if self.kind == "list":
            return [child.data() for child in self.children]
        return self.value


@dataclass(slots=True)
class _Open:
    """A map or a list that is still being read."""

    kind: Literal["map", "list"]
    anchor: str | None
    mark: Any
    nodes: list[Node] = field(default_factory=list)


class _Refused(Exception):  # noqa: N818 - it carries a problem, and never leaves this module
    """Carries the problem out of the reading loop."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_yaml(text: bytes | str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The document's tree, or None and the problems that kept it from being read.

    Args:
        text: the file's content; bytes must be UTF-8 (a byte order mark is allowed).
        path: the name that problems bear.
    """
    start = Place(path, 1, 1, 1, 2)
    if len(text) > MAX_BYTES:
        return None, (codes.TOO_BIG.at(start, f"the file has {len(text):,} bytes; at most {MAX_BYTES:,} are read"),)
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (_encoding_problem(error, path),)
    reader = _Reader(path)
    try:
        root = reader.read(decoded)
    except _Refused as refused:
        return None, (*reader.problems, refused.problem)
    if reader.problems:
        return None, tuple(reader.problems)
    return root, ()


def _encoding_problem(error: UnicodeDecodeError, path: str) -> Problem:
    text = error.object
    before = text[: error.start]
    line = before.count(b"\n") + 1
    column = error.start - (before.rfind(b"\n") + 1) + 1
    return codes.ENCODING.at(
        Place(path, line, column, line, column + 1),
        f"byte 0x{text[error.start]:02x} is not UTF-8",
        help="save the file as UTF-8",
    )


class _Reader:
    """Builds the tree from events; used once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0

    def read(self, text: str) -> Node:
        for event in self._events(text):
            self._take(event)
        if self.root is None:
            raise _Refused(
                codes.SYNTAX.at(self._place(None), "the file is empty", help="a workflow begins with `aurora: 1`")
            )
        return self.root

    def _events(self, text: str) -> Iterator[Any]:
        try:
            yield from _parse(text, pure=False)
        except _Refused:
            raise
        except Exception:  # noqa: BLE001 - whatever the fast parser says, the pure one words and places it better
            raise _Refused(self._syntax_problem(text)) from None

    def _syntax_problem(self, text: str) -> Problem:
        from ruamel.yaml.error import MarkedYAMLError  # noqa: PLC0415 - only a broken file pays for it

        try:
            for _ in _parse(text, pure=True):
                pass
        except MarkedYAMLError as error:
            message = " ".join(str(part) for part in (error.problem, error.context) if part)
            return codes.SYNTAX.at(self._place(error.problem_mark or error.context_mark), _plain_words(message))
        except Exception as error:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
            return codes.SYNTAX.at(self._place(None), f"this is not YAML ({_plain_words(str(error) or 'unreadable')})")
        return codes.SYNTAX.at(self._place(None), "this is not YAML")

    def _take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self._refuse(codes.SYNTAX, event, "a workflow is one document; this is a second one")
        elif kind == "ScalarEvent":
            self._add(self._scalar(event), event.anchor)
        elif kind == "AliasEvent":
            self._add(self._alias(event), None)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self.stack) >= MAX_DEPTH:
                self._refuse(codes.TOO_BIG, event, f"nested more than {MAX_DEPTH} deep")
            opened: Literal["map", "list"] = "map" if kind == "MappingStartEvent" else "list"
            self._check_tag(event, ("!!map", "!!seq"))
            self.stack.append(_Open(opened, event.anchor, event.start_mark))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            opened_node = self.stack.pop()
            self._add(self._close(opened_node, event.end_mark), opened_node.anchor)

    def _add(self, node: Node, anchor: Any) -> None:
        if node.size > MAX_NODES:
            message = f"the document grows beyond {MAX_NODES:,} values when its aliases are expanded"
            raise _Refused(codes.TOO_BIG.at(node.place, message))
        if anchor:
            self.anchors[str(anchor)] = node
        if self.stack:
            self.stack[-1].nodes.append(node)
        else:
            self.root = node

    def _close(self, opened: _Open, end: Any) -> Node:
        place = self._place(opened.mark, end)
        size = 1 + sum(node.size for node in opened.nodes)
        if opened.kind == "list":
            return Node("list", place, children=tuple(opened.nodes), size=size)
        pairs = tuple(zip(opened.nodes[::2], opened.nodes[1::2], strict=True))
        self._check_keys(pairs)
        return Node("map", place, items=pairs, size=size)

    def _check_keys(self, pairs: tuple[tuple[Node, Node], ...]) -> None:
        seen: dict[str, Node] = {}
        for key, _ in pairs:
            if key.kind != "scalar":
                self._refuse_key(key)
            name = _key_text(key.value)
            if name in seen:
                other = seen[name].place
                self.problems.append(
                    codes.DUPLICATE_KEY.at(
                        key.place,
                        f'key "{name}" stands twice in this mapping',
                        help="keep one of the two",
                        note=f"the first is at {other.path}:{other.line}:{other.column}",
                    )
                )
            seen.setdefault(name, key)

    def _refuse_key(self, key: Node) -> None:
        """Ends the reading: what is inside a wrong key would only repeat the finding."""
        if key.kind == "map":
            message = '"{{" begins two YAML mappings, not a template'
            raise _Refused(codes.SYNTAX.at(key.place, message, help="put the whole value in quotes"))
        raise _Refused(codes.SYNTAX.at(key.place, "a key must be a word, not a list"))

    def _scalar(self, event: Any) -> Node:
        self._check_tag(event, ("!!str", "!!int", "!!float", "!!bool", "!!null"))
        style = event.style or ""
        plain = bool(event.implicit[0]) and style == ""
        value = _resolve(event.value) if plain else event.value
        return Node("scalar", self._place(event.start_mark, event.end_mark), value=value, style=style)

    def _alias(self, event: Any) -> Node:
        node = self.anchors.get(str(event.anchor))
        if node is None:
            message = f'alias "*{event.anchor}" has no anchor before it'
            raise _Refused(codes.SYNTAX.at(self._place(event.start_mark, event.end_mark), message))
        return replace(node, place=self._place(event.start_mark, event.end_mark)) if node.kind == "scalar" else node

    def _check_tag(self, event: Any, known: tuple[str, ...]) -> None:
        tag = str(event.tag or "").replace("tag:yaml.org,2002:", "!!")
        if tag in ("", "!", "None", *known):
            return
        message = f'tag "{tag}" is not known here'
        self.problems.append(
            codes.UNKNOWN_TAG.at(self._place(event.start_mark), message, help="remove the tag, or quote the value")
        )

    def _refuse(self, kind: codes.Kind, event: Any, message: str) -> NoReturn:
        raise _Refused(kind.at(self._place(event.start_mark, event.end_mark), message))

    def _place(self, mark: Any, end: Any = None) -> Place:
        if mark is None:
            return Place(self.path, 1, 1, 1, 2)
        end = end or mark
        return Place(self.path, mark.line + 1, mark.column + 1, end.line + 1, end.column + 1)


def _parse(text: str, *, pure: bool) -> Iterator[Any]:
    from ruamel.yaml import YAML  # noqa: PLC0415 - 20 ms that `aur --help` must not pay

    # The C parser is nine times as fast, which is what the start of the server is made of.
    yield from YAML(typ="safe", pure=pure).parse(text)


def _plain_words(message: str) -> str:
    message = message.split("\n", 1)[0].strip().rstrip(".")
    if "'\\t'" in message:
        return "a tab cannot indent YAML; use spaces"
    if "'`'" in message:
        return 'a backtick cannot begin a value; put the value in quotes, as "`1`"'
    return message


# The YAML 1.2 core schema, https://yaml.org/spec/1.2.2/#1032-tag-resolution
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INT = re.compile(r"[-+]?[0-9]{1,300}\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,300}\Z")
_OCT = re.compile(r"0o[0-7]{1,300}\Z")
_INTEGERS = ((_INT, 10), (_HEX, 16), (_OCT, 8))
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")


def _resolve(text: str) -> Any:
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    for pattern, base in _INTEGERS:
        if pattern.match(text):
            return int(text, base)
    if _FLOAT.match(text) and abs(float(text)) != float("inf"):
        return float(text)
    return text


def _key_text(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
