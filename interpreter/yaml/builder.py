"""The parser's events to a tree; what is wrong on the way is noted, and passed over where that is honest.

The tree is built from events and not by `compose()`, because composing recurses (deep nesting ends the process) and
expands nothing lazily; with events, depth and size are bounded before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.lines import yaml_lines
from aurora.interpreter.problems.problem import Place, Problem
from aurora.interpreter.problems.suggestions import did_you_mean

from .anchors import Anchors
from .merge_keys import merged
from .node import Node
from .scalars import key_text, resolve
from .syntax_errors import parse, syntax_problem
from .unquoted_values import (
    STAND_IN,
    Recovery,
    Spot,
    begins_badly,
    begins_no_block,
    holds_a_colon,
    holds_a_colon_in_brackets,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_DEPTH = 64
MAX_NODES = 100_000
"""Counted after aliases are expanded, so that an alias bomb is too big and not a hang."""

_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)+(?=[^\s#])")


@dataclass(slots=True)
class _Open:
    """A map or a list that is still being read."""

    kind: Literal["map", "list"]
    anchor: str | None
    mark: Any
    in_flow: bool
    nodes: list[Node] = field(default_factory=list)


class Refused(Exception):  # noqa: N818 - it carries a problem, and never leaves this module and its caller
    """Ends the reading; nothing behind this can be told."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Stopped(Exception):  # noqa: N818 - as above
    """Ends the reading of a text that can be read again in another form."""

    def __init__(self, recovery: Recovery) -> None:
        super().__init__(recovery.problem.message)
        self.recovery = recovery


class Reader:
    """Builds the tree from events; used once.

    Args:
        path: the name that problems bear.
        text: the document.
        meant: the values for which a word stands in, by place.
    """

    def __init__(self, path: str, text: str, meant: Mapping[Spot, str]) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []
        self.lost = False
        self._meant = meant
        self._anchors = Anchors()
        self._stack: list[_Open] = []
        self._root: Node | None = None
        self._documents = 0
        self._written = 0

    @cached_property
    def _lines(self) -> list[str]:
        return yaml_lines(self.text)

    def read(self) -> Node:
        """The tree of the first document; `problems` and `lost`, that the tree is not fit to be looked at, are set.

        Raises:
            Stopped: behind a value that lacks its quotes.
            Refused: where nothing more can be told.
        """
        for event in self._events():
            if self._documents > 1:
                break
            self._take(event)
        if self._root is None or (self._root.value is None and self._root.kind == "scalar"):
            place = Place(self.path, 1, 1, 1, 2)
            raise Refused(codes.SYNTAX.at(place, "the file is empty", help="a workflow begins with `aurora: 1`"))
        if not self.lost:  # an alias without an anchor is most likely one of these, misspelt
            self.problems.extend(self._anchors.unused())
        return self._root

    def _events(self) -> Iterator[Any]:
        try:
            yield from parse(self.text, pure=False)
        except (Refused, Stopped):
            raise
        except Exception as error:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
            recovery = self._recovery(error)
            if recovery is not None:
                raise Stopped(recovery) from None
            raise Refused(syntax_problem(self.text, self.path, error)) from None

    def _recovery(self, error: Exception) -> Recovery | None:
        mark, said = getattr(error, "problem_mark", None), str(getattr(error, "problem", ""))
        if mark is None or mark.line >= len(self._lines):
            return None
        spot = Spot(mark.line, mark.column)
        if "mapping values are not allowed" in said:
            return holds_a_colon(self.text, self.path, spot)
        if "cannot start any token" in said:
            return begins_badly(self.text, self.path, spot, in_flow=self._in_flow)
        if "did not find expected comment or line break" in said:
            return begins_no_block(self.text, self.path, spot)
        if "did not find expected ',' or" in said:
            return holds_a_colon_in_brackets(self.text, self.path, spot)
        return None

    @property
    def _in_flow(self) -> bool:
        return bool(self._stack) and self._stack[-1].in_flow

    def _take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                place = self._place(event.start_mark, event.end_mark)
                message = "a workflow is one document; this begins a second one"
                self.problems.append(codes.SYNTAX.at(place, message, help="move it to a file of its own"))
        elif kind == "ScalarEvent":
            self._add(self._scalar(event), event)
        elif kind == "AliasEvent":
            self._add(self._alias(event), None)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open("map" if kind == "MappingStartEvent" else "list", event)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            opened = self._stack.pop()
            self._add(self._close(opened, event.end_mark), opened)

    def _open(self, kind: Literal["map", "list"], event: Any) -> None:
        if len(self._stack) >= MAX_DEPTH:
            place = self._place(event.start_mark, event.end_mark)
            raise Refused(codes.TOO_BIG.at(place, f"nested more than {MAX_DEPTH} deep"))
        mark = event.start_mark
        if kind == "map" and event.flow_style and self._in_flow:
            outer = self._stack[-1]
            if outer.kind == "map" and not outer.nodes and (mark.line, mark.column - 1) == _at(outer.mark):
                self._two_braces(Spot(mark.line, mark.column - 1))
        self._check_tag(event, ("!!map" if kind == "map" else "!!seq",))
        self._stack.append(_Open(kind, event.anchor, mark, bool(event.flow_style)))

    def _two_braces(self, spot: Spot) -> None:
        around = len(self._stack) > 1 and self._stack[-2].in_flow
        recovery = begins_badly(self.text, self.path, spot, in_flow=around)
        if recovery is not None:
            raise Stopped(recovery)

    def _add(self, node: Node, named: Any) -> None:
        self._written += 1
        if node.size > MAX_NODES:
            message = f"the document grows beyond {MAX_NODES:,} values when its aliases are expanded"
            raise Refused(codes.TOO_BIG.at(node.place, message))
        if self._written > MAX_NODES:
            raise Refused(codes.TOO_BIG.at(node.place, f"the document has more than {MAX_NODES:,} values"))
        if named is not None and named.anchor:
            self._anchor(node, named)
        if self._stack:
            self._stack[-1].nodes.append(node)
        else:
            self._root = node

    def _anchor(self, node: Node, named: Any) -> None:
        name, mark = str(named.anchor), named.mark if isinstance(named, _Open) else named.start_mark
        line = self._lines[mark.line]
        column = max(line.find(f"&{name}", mark.column), mark.column)
        end = column + len(name) + 1
        place = Place(self.path, mark.line + 1, column + 1, mark.line + 1, end + 1)
        self._anchors.add(name, place, node, spaced=line[end : end + 1] == " ")

    def _close(self, opened: _Open, end: Any) -> Node:
        place = self._place(opened.mark, end)
        if opened.kind == "list":
            size = 1 + sum(node.size for node in opened.nodes)
            return Node("list", place, children=tuple(opened.nodes), size=size)
        written = tuple(zip(opened.nodes[::2], opened.nodes[1::2], strict=True))
        pairs, wrong = merged(self._distinct(written))
        told = {(one.line, one.column) for one in self.problems} if wrong else ()
        self.problems.extend(one for one in wrong if (one.line, one.column) not in told)
        self.lost = self.lost or bool(wrong)
        return Node("map", place, items=pairs, size=1 + sum(key.size + value.size for key, value in pairs))

    def _distinct(self, pairs: tuple[tuple[Node, Node], ...]) -> tuple[tuple[Node, Node], ...]:
        """Each key with its first value."""
        seen: dict[str, tuple[Node, Node]] = {}
        for key, value in pairs:
            if key.kind != "scalar":
                self._refuse_key(key)
                continue
            name = key_text(key.value)
            if name in seen:
                message, note = (
                    f'key "{name}" stands twice in this mapping',
                    f"the first is at {seen[name][0].place.at}",
                )
                self.problems.append(codes.DUPLICATE_KEY.at(key.place, message, help="keep one of the two", note=note))
            else:
                seen[name] = (key, value)
        return tuple(seen.values())

    def _refuse_key(self, key: Node) -> None:
        line = self._lines[key.place.line - 1]
        template = line[key.place.column - 2 : key.place.column] == "{{"
        message = (
            '"{{" begins two YAML mappings, not a template' if template else f"a key must be a word, not a {key.kind}"
        )
        help_ = "put the whole value in quotes" if template else "put the key in quotes, or remove it"
        self.problems.append(codes.SYNTAX.at(key.place, message.replace("a map", "a mapping"), help=help_))
        self.lost = True

    def _scalar(self, event: Any) -> Node:
        tag = self._check_tag(event, ("!!str", "!!int", "!!float", "!!bool", "!!null"))
        style, place = event.style or "", self._place(event.start_mark, event.end_mark)
        said = self._meant.get(Spot(place.line - 1, place.column - 1)) if self._meant else None
        if said is not None and event.value.startswith(STAND_IN * len(said)):
            return Node("scalar", place, value=said + event.value[len(said) :])
        plain = style == "" and tag not in ("!", "!!str")
        value = resolve(event.value) if plain else event.value
        indent = self._indent(event) if style in ("|", ">") else None
        return Node("scalar", place, value=value, style=style, indent=indent)

    def _indent(self, event: Any) -> int | None:
        """The columns before each line of a block scalar, when its lines stand in the file as they are in the value."""
        said = event.value.rstrip("\n").split("\n")
        there = self._lines[event.start_mark.line + 1 : event.start_mark.line + 1 + len(said)]
        first = next((index for index, line in enumerate(said) if line), None)
        if first is None or first >= len(there) or (event.style == ">" and len(said) > 1):
            return None
        indent = len(there[first]) - len(said[first])
        same = len(there) == len(said) and all(
            not line or written[indent:] == line for line, written in zip(said, there, strict=True)
        )
        return indent if same and indent >= 0 else None

    def _alias(self, event: Any) -> Node:
        name, place = str(event.anchor), self._place(event.start_mark, event.end_mark)
        node = self._anchors.use(name)
        if node is None:
            inside = any(opened.anchor == name for opened in self._stack)
            message = "stands inside the value that it means" if inside else "has no anchor before it"
            help_ = did_you_mean(name, self._anchors.names()) or f'write "&{name}" before the value it means'
            self.problems.append(codes.SYNTAX.at(place, f'alias "*{name}" {message}', help="" if inside else help_))
            self.lost = True
            return Node("scalar", place, style="*")
        return replace(node, place=place, style="*", indent=None) if node.kind == "scalar" else node

    def _check_tag(self, event: Any, known: tuple[str, ...]) -> str:
        if event.tag is None:
            return ""
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        if tag in ("", "!", "None", *known):
            return tag
        mark = event.start_mark
        written = re.compile(r"![^\s,\[\]{}]*").search(self._lines[mark.line], mark.column)
        first, last = written.span() if written else (mark.column, mark.column + 1)
        place = Place(self.path, mark.line + 1, first + 1, mark.line + 1, last + 1)
        help_ = "remove the tag, or quote the value"
        self.problems.append(codes.UNKNOWN_TAG.at(place, f'tag "{tag}" is not known here', help=help_))
        return tag

    def _place(self, start: Any, end: Any) -> Place:
        """The place of a value, without the anchor and the tag before it on its line."""
        column = start.column
        line = self._lines[start.line] if start.line < len(self._lines) else ""
        if line[column : column + 1] in ("&", "!") and (found := _PROPERTIES.match(line, column)):
            column = found.end()
        return Place(self.path, start.line + 1, column + 1, end.line + 1, end.column + 1)


def _at(mark: Any) -> tuple[int, int]:
    return mark.line, mark.column
