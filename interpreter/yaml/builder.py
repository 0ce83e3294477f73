"""Builder of the node tree from the parser's events.

The tree is built from events and not by `compose()`, because composing recurses (deep nesting ends the process) and
expands nothing lazily; with events, depth and size are bounded before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.problems import Place, codes, did_you_mean, split_yaml_lines

from .anchors import Anchors, MergeExpander
from .node import (
    MAX_ANCHORS,
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_NODES,
    MAX_READ_PROBLEMS,
    InvalidYamlError,
    Node,
    make_limit_error,
    make_list,
    make_map,
    resolve_scalar,
    to_key_text,
)
from .syntax_errors import make_syntax_problem, parse_events
from .traps import SUSPECT, find_cut_quote, find_traps
from .unquoted_values import (
    PLACEHOLDER,
    Position,
    Recovery,
    join_cut_values,
    recover_bad_start,
    recover_block_text,
    recover_colon,
    recover_comma,
    recover_cut,
    recover_negation,
    recover_text_in_flow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.problems import Problem

_NEW_TUPLE = tuple.__new__
_ITEM = re.compile(r"\s*(?:-\s|#|[\w-]+:(?:\s|$))")
"""A line with a key, an item or a comment, and not the rest of a text."""
_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)+(?=[^\s#])")


@dataclass(slots=True)
class _OpenCollection:
    """A map or a list that is not closed yet."""

    kind: Literal["map", "list"]
    anchor: str | None
    mark: Any
    in_flow: bool
    is_plain: bool
    """True without an anchor and a tag."""
    nodes: list[Node] = field(default_factory=list)


class RecoverableYamlError(Exception):
    """Invalid YAML that can be read again with a placeholder."""

    def __init__(self, recovery: Recovery) -> None:
        super().__init__(recovery.problem.message)
        self.recovery = recovery


class TreeBuilder:
    """Builder of the tree from events; used once.

    Args:
        path: the name of the file in problems.
        text: the document.
        placeholders: the values that placeholders stand for, by position.

    Attributes:
        problems: the problems found.
        is_unusable: True when the tree is not what was meant.
        node_count: the values read.
    """

    def __init__(self, path: str, text: str, placeholders: Mapping[Position, Recovery]) -> None:
        self.path = path
        self.text = text
        self.problems: list[Problem] = []
        self.is_unusable = False
        self._placeholder_values = placeholders
        self._anchors = Anchors()
        self._stack: list[_OpenCollection] = []
        self._root: Node | None = None
        self._document_count = 0
        self._merges = MergeExpander()
        self.node_count = 0

    @cached_property
    def _lines(self) -> list[str]:
        return split_yaml_lines(self.text)

    def build(self) -> Node:
        """Build the tree of the first document, and set `problems` and `is_unusable`.

        Raises:
            RecoverableYamlError: after a value without its quotes.
            InvalidYamlError: where nothing more can be read.
        """
        for event in self._read_events():
            if self._document_count > 1:
                break
            if type(event).__name__ != "ScalarEvent" or not self._add_plain_scalar(event):
                self._handle_event(event)
        if self._root is None or (self._root.value is None and self._root.kind == "scalar"):
            place = Place(self.path, 1, 1, 1, 2)
            message = "the file has no content besides comments" if self.text.strip() else "the file is empty"
            raise InvalidYamlError(codes.SYNTAX.make_problem(place, message, help="a workflow begins with `aurora: 2`"))
        if not self.is_unusable:  # an alias without an anchor most likely means one of these
            self.problems.extend(self._anchors.find_unused())
            if SUSPECT.search(self.text):
                self._report_traps(self._root)
        return self._root

    def _report_traps(self, root: Node) -> None:
        cut = find_cut_quote(root, self._lines)
        recovery = recover_cut(self.text, self.path, cut.end_line - 1) if cut is not None else None
        if recovery is not None:
            raise RecoverableYamlError(recovery)
        self.problems.extend(islice(find_traps(root, self._lines), MAX_READ_PROBLEMS))

    def _report(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MAX_READ_PROBLEMS:
            place = Place(self.path, problem.line, problem.column, problem.line, problem.end_column)
            message = f"the file has {MAX_READ_PROBLEMS} problems up to here; the rest is not read"
            raise make_limit_error(place, message, help="fix these first")

    def _read_events(self) -> Iterator[Any]:
        try:
            yield from parse_events(self.text, pure=False)
        except (InvalidYamlError, RecoverableYamlError):
            raise
        except Exception as error:  # noqa: BLE001 - the parser lets several kinds escape on hostile text
            recovery = self._find_recovery(error)
            if recovery is not None:
                raise RecoverableYamlError(recovery) from None
            raise InvalidYamlError(make_syntax_problem(self.text, self.path, error)) from None

    def _find_recovery(self, error: Exception) -> Recovery | None:
        mark, message = getattr(error, "problem_mark", None), str(getattr(error, "problem", ""))
        if (recovery := self._find_cut_value(error, mark)) is not None:
            return recovery
        if mark is None or mark.line >= len(self._lines):
            return None
        spot = Position(mark.line, mark.column)
        if "cannot start any token" in message:
            return recover_bad_start(self.text, self.path, spot, in_flow=self._is_in_flow)
        recover = next((recover for words, recover in _RECOVERIES.items() if words in message), None)
        return recover(self.text, self.path, spot) if recover is not None else None

    def _find_cut_value(self, error: Exception, stopped: Any) -> Recovery | None:
        """Find a value that a comma or a "#" of its own cuts, where the parser stopped or where it began."""
        begun = getattr(error, "context_mark", None)
        for mark in (stopped, begun):
            if mark is not None and mark.line < len(self._lines):
                column = mark.column if mark is stopped or "quoted" in str(error) else None
                recovery = recover_comma(self.text, self.path, mark.line, column)
                if recovery is not None:
                    return recovery
        rows = [begun.line] if begun is not None and "flow" in str(error) else []
        if stopped is not None and 0 < stopped.line < len(self._lines) and not _ITEM.match(self._lines[stopped.line]):
            rows.append(stopped.line - 1)
        cuts = (recover_cut(self.text, self.path, row) for row in rows if row < len(self._lines))
        return next(filter(None, cuts), None)

    @property
    def _is_in_flow(self) -> bool:
        return bool(self._stack) and self._stack[-1].in_flow

    def _handle_event(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._add_node(self._build_scalar(event), event if event.anchor else None)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            opened = self._stack.pop()
            self._add_node(self._close_collection(opened, event.end_mark), opened if opened.anchor else None)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open_collection("map" if kind == "MappingStartEvent" else "list", event)
        elif kind == "AliasEvent":
            self._add_node(self._resolve_alias(event), None)
        elif kind == "DocumentStartEvent":
            self._start_document(event)

    def _start_document(self, event: Any) -> None:
        self._document_count += 1
        if self._document_count > 1:
            place = self._make_place(event.start_mark, event.end_mark)
            message = "a workflow is one document; this begins a second one"
            self._report(codes.SYNTAX.make_problem(place, message, help="move it to a file of its own"))

    def _open_collection(self, kind: Literal["map", "list"], event: Any) -> None:
        if len(self._stack) >= MAX_DEPTH:
            place = self._make_place(event.start_mark, event.end_mark)
            raise make_limit_error(place, f"nested more than {MAX_DEPTH} deep")
        mark = event.start_mark
        if kind == "map" and event.flow_style and self._is_in_flow:
            outer = self._stack[-1]
            # `{{ name }}` without quotes is a mapping in a mapping for
            # the parser, which finds nothing wrong with it.
            if outer.kind == "map" and not outer.nodes and (mark.line, mark.column - 1) == _to_position(outer.mark):
                self._recover_double_brace(Position(mark.line, mark.column - 1))
        is_plain = event.anchor is None and event.tag is None
        if not is_plain:
            self._check_tag(event, ("!!map" if kind == "map" else "!!seq",))
        self._stack.append(_OpenCollection(kind, event.anchor, mark, bool(event.flow_style), is_plain))

    def _recover_double_brace(self, spot: Position) -> None:
        around = len(self._stack) > 1 and self._stack[-2].in_flow
        recovery = recover_bad_start(self.text, self.path, spot, in_flow=around)
        if recovery is not None:
            raise RecoverableYamlError(recovery)

    def _add_node(self, node: Node, named: Any) -> None:
        self.node_count += 1
        if node.size > MAX_NODES or node.characters > MAX_CHARACTERS or self.node_count > MAX_NODES:
            raise _make_size_error(node)
        if named is not None:
            self._register_anchor(node, named)
        if self._stack:
            self._stack[-1].nodes.append(node)
        else:
            self._root = node

    def _register_anchor(self, node: Node, named: Any) -> None:
        name, mark = str(named.anchor), named.mark if isinstance(named, _OpenCollection) else named.start_mark
        line = self._lines[mark.line]
        column = max(line.find(f"&{name}", mark.column), mark.column)
        end = column + len(name) + 1
        place = Place(self.path, mark.line + 1, column + 1, mark.line + 1, end + 1)
        if self._anchors.add(name, place, node, spaced=line[end : end + 1] == " ") > MAX_ANCHORS:
            raise make_limit_error(place, f"the document has more than {MAX_ANCHORS:,} anchors")

    def _close_collection(self, opened: _OpenCollection, end: Any) -> Node:
        place = (
            _make_plain_place(self.path, opened.mark, end) if opened.is_plain else self._make_place(opened.mark, end)
        )
        if opened.kind == "list":
            return make_list(place, opened.nodes)
        if opened.in_flow:
            opened.nodes = join_cut_values(opened.nodes, self._lines, self._report)
        written = tuple(zip(opened.nodes[::2], opened.nodes[1::2], strict=True))
        if _has_plain_keys(opened.nodes[::2]):
            return make_map(place, written)
        pairs, problems = self._merges.expand(self._drop_duplicate_keys(written))
        if problems:
            self.is_unusable = True
            # A source that is no mapping is told once, however many mappings merge it.
            reported = {(problem.line, problem.column) for problem in self.problems}
            for problem in problems:
                if (problem.line, problem.column) not in reported:
                    self._report(problem)
        return make_map(place, pairs)

    def _drop_duplicate_keys(self, pairs: tuple[tuple[Node, Node], ...]) -> tuple[tuple[Node, Node], ...]:
        """Keep each key with its first value, and report the others."""
        seen: dict[str, tuple[Node, Node]] = {}
        for key, value in pairs:
            if key.kind != "scalar":
                self._reject_key(key)
                continue
            name = to_key_text(key.value)
            if name in seen:
                message, note = (
                    f'key "{name}" appears twice in this mapping',
                    f"the first is at {seen[name][0].place.label}",
                )
                self._report(
                    codes.DUPLICATE_KEY.make_problem(key.place, message, help="keep one of the two", note=note)
                )
            else:
                seen[name] = (key, value)
        return tuple(seen.values())

    def _reject_key(self, key: Node) -> None:
        line = self._lines[key.place.line - 1]
        template = line[key.place.column - 2 : key.place.column] == "{{"
        message = (
            '"{{" begins two YAML mappings, not a template' if template else f"a key must be a word, not a {key.kind}"
        )
        help_ = "put the whole value in quotes" if template else "put the key in quotes, or remove it"
        self._report(codes.SYNTAX.make_problem(key.place, message.replace("a map", "a mapping"), help=help_))
        self.is_unusable = True

    def _add_plain_scalar(self, event: Any) -> bool:
        """Add a scalar on one line without an anchor and a tag to a collection; return False for any other.

        Most nodes of a document are of this kind, so that they are made without a call of their class.
        """
        start, end = event.start_mark, event.end_mark
        line, text, style = start.line + 1, event.value, event.style
        if event.anchor is not None or event.tag is not None or end.line >= line:
            return False
        # What is at a limit goes the long way, where it is refused.
        if not self._stack or self._placeholder_values or self.node_count >= MAX_NODES or len(text) > MAX_CHARACTERS:
            return False
        place = _NEW_TUPLE(Place, (self.path, line, start.column + 1, line, end.column + 1))
        value = text if style else resolve_scalar(text)
        node = _NEW_TUPLE(Node, ("scalar", place, (), (), value, style or "", 1, len(text), None, (), None))
        self._stack[-1].nodes.append(node)
        self.node_count += 1
        return True

    def _build_scalar(self, event: Any) -> Node:
        tag = "" if event.tag is None else self._check_tag(event, ("!!str", "!!int", "!!float", "!!bool", "!!null"))
        text, style, start, end = event.value, event.style or "", event.start_mark, event.end_mark
        has_properties = tag or event.anchor
        place = self._make_place(start, end) if has_properties else _make_plain_place(self.path, start, end)
        if self._placeholder_values:
            recovery = self._placeholder_values.get(Position(place.line - 1, place.column - 1))
            if recovery is not None and text.startswith(PLACEHOLDER * recovery.width):
                value = recovery.value + text[recovery.width :]
                return Node("scalar", place, value=value, characters=len(value))
        value = resolve_scalar(text) if style == "" and tag not in ("!", "!!str") else text
        if place.line == place.end_line:
            return Node("scalar", place, (), (), value, style, 1, len(text))
        indent = self._measure_indent(event) if style in ("|", ">") else None
        folds = self._measure_folds(event) if indent is None else ()
        return Node("scalar", place, value=value, style=style, indent=indent, folds=folds, characters=len(text))

    def _measure_indent(self, event: Any) -> int | None:
        """Measure the indentation of a block scalar whose lines are the same in the file."""
        value_lines = event.value.rstrip("\n").split("\n")
        file_lines = self._lines[event.start_mark.line + 1 : event.start_mark.line + 1 + len(value_lines)]
        first = next((index for index, line in enumerate(value_lines) if line), None)
        if first is None or first >= len(file_lines) or (event.style == ">" and len(value_lines) > 1):
            return None
        indent = len(file_lines[first]) - len(value_lines[first])
        same = len(file_lines) == len(value_lines) and all(
            not line or written[indent:] == line for line, written in zip(value_lines, file_lines, strict=True)
        )
        return indent if same and indent >= 0 else None

    def _measure_folds(self, event: Any) -> tuple[tuple[int, int, int], ...]:
        """Locate each line of a folded scalar in its value; nothing when escapes hide one."""
        start, end, value = event.start_mark, event.end_mark, event.value
        is_block, is_quoted = event.style in ("|", ">"), event.style in ("'", '"')
        folds: list[tuple[int, int, int]] = []
        at = 0
        for number in range(start.line + is_block, min(end.line + 1, len(self._lines))):
            column = start.column + is_quoted if number == start.line else 0
            stop = end.column - is_quoted if number == end.line else None
            text = self._lines[number][column:stop]
            words = text.strip()
            if not words:
                continue
            found = value.find(words, at)
            if found < 0:
                return tuple(folds) if is_block and at >= len(value.rstrip()) else ()
            folds.append((found, number + 1, column + len(text) - len(text.lstrip()) + 1))
            at = found + len(words)
        return tuple(folds)

    def _resolve_alias(self, event: Any) -> Node:
        name, place = str(event.anchor), self._make_place(event.start_mark, event.end_mark)
        node = self._anchors.resolve_alias(name)
        if node is None:
            # YAML allows a value inside itself, whose tree would have no
            # end: an anchor is known only behind its value.
            inside = any(opened.anchor == name for opened in self._stack)
            message = "is inside the value that it refers to" if inside else "has no anchor before it"
            help_ = did_you_mean(name, self._anchors.list_names()) or f'write "&{name}" before the value it means'
            self._report(codes.SYNTAX.make_problem(place, f'alias "*{name}" {message}', help="" if inside else help_))
            self.is_unusable = True
            return Node("scalar", place, style="*")
        return node._replace(place=place, style="*", indent=None, folds=()) if node.kind == "scalar" else node

    def _check_tag(self, event: Any, known: tuple[str, ...]) -> str:
        if event.tag is None:
            return ""
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        if tag in ("", "!", "None", *known):
            return tag
        mark = event.start_mark
        # For YAML, `when: !inputs.done` has the tag `!inputs.done`, and no value.
        recovery = recover_negation(self.text, self.path, Position(mark.line, mark.column))
        if recovery is not None:
            raise RecoverableYamlError(recovery)
        written = re.compile(r"![^\s,\[\]{}]*").search(self._lines[mark.line], mark.column)
        first, last = written.span() if written else (mark.column, mark.column + 1)
        place = Place(self.path, mark.line + 1, first + 1, mark.line + 1, last + 1)
        help_ = "remove the tag, or quote the value"
        self._report(codes.UNKNOWN_TAG.make_problem(place, f'tag "{tag}" is not known here', help=help_))
        return tag

    def _make_place(self, start: Any, end: Any) -> Place:
        """Return the place of a value, without its anchor and tag."""
        column = start.column
        line = self._lines[start.line] if start.line < len(self._lines) else ""
        if line[column : column + 1] in ("&", "!") and (found := _PROPERTIES.match(line, column)):
            column = found.end()
        return Place(self.path, start.line + 1, column + 1, end.line + 1, end.column + 1)


_RECOVERIES = {
    "mapping values are not allowed": recover_colon,
    "did not find expected comment or line break": recover_block_text,
    "did not find expected ',' or": recover_text_in_flow,
    "found unexpected ':'": recover_text_in_flow,
}
"""What reads a text again, by the parser's words."""


def _has_plain_keys(keys: Sequence[Node]) -> bool:
    """Return whether all keys are different texts, and none of them merges."""
    names = {key.value for key in keys if key.value.__class__ is str}
    return len(names) == len(keys) and "<<" not in names


def _make_plain_place(path: str, start: Any, end: Any) -> Place:
    """Return the place of a value without an anchor and a tag."""
    return Place(path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _make_size_error(node: Node) -> InvalidYamlError:
    if node.size > MAX_NODES:
        message = f"the document grows beyond {MAX_NODES:,} values when its aliases are expanded"
    elif node.characters > MAX_CHARACTERS:
        message = f"the document grows beyond {MAX_CHARACTERS:,} characters when its aliases are expanded"
    else:
        message = f"the document has more than {MAX_NODES:,} values"
    return make_limit_error(node.place, message)


def _to_position(mark: Any) -> tuple[int, int]:
    return mark.line, mark.column
