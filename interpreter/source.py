"""YAML text to a tree of nodes, each with its place; hostile text becomes a problem, never an exception.

The tree is built from the parser's events and not by `compose()`, because composing recurses (deep nesting ends the
process) and expands nothing lazily; with events, depth and size are bounded before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import codes
from .files import MAX_BYTES
from .merging import merged
from .node import Node
from .problems import Place, Problem
from .scalars import key_text, resolve
from .syntax import parse, syntax_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 64
MAX_NODES = 100_000
"""Counted after aliases are expanded, so that an alias bomb is too big and not a hang."""


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
    if len(text) > MAX_BYTES:
        return None, (codes.TOO_BIG.at(_first(path), f"the file is larger than {MAX_BYTES:,} bytes"),)
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (encoding_problem(error, path),)
    reader = _Reader(path, decoded)
    try:
        root = reader.read()
    except _Refused as refused:
        return None, (*reader.problems, refused.problem)
    if reader.problems:
        return None, tuple(reader.problems)
    return root, ()


def encoding_problem(error: UnicodeDecodeError, path: str) -> Problem:
    """The problem of a file that is not UTF-8, at its first wrong byte."""
    data = error.object
    before = data[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", errors="replace")) + 1
    message = f"byte 0x{data[error.start]:02x} is not UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = "the file is UTF-16, not UTF-8"
    return codes.ENCODING.at(Place(path, line, column, line, column + 1), message, help="save the file as UTF-8")


def _first(path: str) -> Place:
    return Place(path, 1, 1, 1, 2)


class _Reader:
    """Builds the tree from events; used once."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.written = 0

    @cached_property
    def lines(self) -> list[str]:
        return re.split("\r\n|[\n\r\x85\u2028\u2029]", self.text)

    def read(self) -> Node:
        for event in self._events():
            self._take(event)
        if self.root is None:
            raise _Refused(
                codes.SYNTAX.at(_first(self.path), "the file is empty", help="a workflow begins with `aurora: 1`")
            )
        return self.root

    def _events(self) -> Iterator[Any]:
        try:
            yield from parse(self.text, pure=False)
        except _Refused:
            raise
        except Exception as error:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
            raise _Refused(syntax_problem(self.text, self.path, error)) from None

    def _take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self._refuse(codes.SYNTAX, event, "a workflow is one document; this begins a second one")
        elif kind == "ScalarEvent":
            self._add(self._scalar(event), event.anchor)
        elif kind == "AliasEvent":
            self._add(self._alias(event), None)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self.stack) >= MAX_DEPTH:
                self._refuse(codes.TOO_BIG, event, f"nested more than {MAX_DEPTH} deep")
            opened: Literal["map", "list"] = "map" if kind == "MappingStartEvent" else "list"
            self._check_tag(event, (f"!!{'map' if opened == 'map' else 'seq'}",))
            self.stack.append(_Open(opened, event.anchor, event.start_mark))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            opened_node = self.stack.pop()
            self._add(self._close(opened_node, event.end_mark), opened_node.anchor)

    def _add(self, node: Node, anchor: Any) -> None:
        self.written += 1
        if node.size > MAX_NODES:
            message = f"the document grows beyond {MAX_NODES:,} values when its aliases are expanded"
            raise _Refused(codes.TOO_BIG.at(node.place, message))
        if self.written > MAX_NODES:
            raise _Refused(codes.TOO_BIG.at(node.place, f"the document has more than {MAX_NODES:,} values"))
        if anchor:
            self.anchors[str(anchor)] = node
        if self.stack:
            self.stack[-1].nodes.append(node)
        else:
            self.root = node

    def _close(self, opened: _Open, end: Any) -> Node:
        place = self._place(opened.mark, end)
        if opened.kind == "list":
            size = 1 + sum(node.size for node in opened.nodes)
            return Node("list", place, children=tuple(opened.nodes), size=size)
        written = tuple(zip(opened.nodes[::2], opened.nodes[1::2], strict=True))
        self._check_keys(written)
        pairs, wrong = merged(written)
        self.problems.extend(wrong)
        return Node("map", place, items=pairs, size=1 + sum(key.size + value.size for key, value in pairs))

    def _check_keys(self, pairs: tuple[tuple[Node, Node], ...]) -> None:
        seen: dict[str, Node] = {}
        for key, _ in pairs:
            if key.kind != "scalar":
                self._refuse_key(key)
            name = key_text(key.value)
            if name in seen:
                other = seen[name].place
                self.problems.append(
                    codes.DUPLICATE_KEY.at(
                        key.place,
                        f'key "{name}" stands twice in this mapping',
                        help="keep one of the two",
                        note=f"the first is at {other.at}",
                    )
                )
            seen.setdefault(name, key)

    def _refuse_key(self, key: Node) -> NoReturn:
        """Ends the reading: what is inside a wrong key would only repeat the finding."""
        if key.kind == "map":
            message = '"{{" begins two YAML mappings, not a template'
            raise _Refused(codes.SYNTAX.at(key.place, message, help="put the whole value in quotes"))
        raise _Refused(codes.SYNTAX.at(key.place, "a key must be a word, not a list"))

    def _scalar(self, event: Any) -> Node:
        tag = self._check_tag(event, ("!!str", "!!int", "!!float", "!!bool", "!!null"))
        style = event.style or ""
        plain = style == "" and tag not in ("!", "!!str")
        value = resolve(event.value) if plain else event.value
        indent = self._indent(event) if style in ("|", ">") else None
        return Node("scalar", self._place(event.start_mark, event.end_mark), value=value, style=style, indent=indent)

    def _indent(self, event: Any) -> int | None:
        """The columns before each line of a block scalar, when its lines stand in the file as they are in the value."""
        said = event.value.rstrip("\n").split("\n")
        there = self.lines[event.start_mark.line + 1 : event.start_mark.line + 1 + len(said)]
        first = next((index for index, line in enumerate(said) if line), None)
        if first is None or first >= len(there) or (event.style == ">" and len(said) > 1):
            return None
        indent = len(there[first]) - len(said[first])
        same = len(there) == len(said) and all(
            not line or written[indent:] == line for line, written in zip(said, there, strict=True)
        )
        return indent if same and indent >= 0 else None

    def _alias(self, event: Any) -> Node:
        place = self._place(event.start_mark, event.end_mark)
        node = self.anchors.get(str(event.anchor))
        if node is None:
            message = f'alias "*{event.anchor}" has no anchor before it'
            raise _Refused(codes.SYNTAX.at(place, message, help=f'write "&{event.anchor}" before the value it means'))
        return replace(node, place=place, style="*", indent=None) if node.kind == "scalar" else node

    def _check_tag(self, event: Any, known: tuple[str, ...]) -> str:
        if event.tag is None:
            return ""
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        if tag in ("", "!", "None", *known):
            return tag
        self.problems.append(
            codes.UNKNOWN_TAG.at(
                self._place(event.start_mark),
                f'tag "{tag}" is not known here',
                help="remove the tag, or quote the value",
            )
        )
        return tag

    def _refuse(self, kind: codes.Kind, event: Any, message: str) -> NoReturn:
        raise _Refused(kind.at(self._place(event.start_mark, event.end_mark), message))

    def _place(self, mark: Any, end: Any = None) -> Place:
        end = end or mark
        return Place(self.path, mark.line + 1, mark.column + 1, end.line + 1, end.column + 1)
