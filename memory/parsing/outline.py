"""Walks the upper levels of a syntax tree and lists what is defined there; function bodies stay unvisited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing.languages import CONSTANT, CONTAINERS, SCOPES, FoundDefinition, Rules, read_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from aurora.memory.parsing.languages import Finder

LONG_LINES = 120
"""A function, or any other node, of more lines than this is looked into and may be split."""

_MAX_NAME_CHARS = 200
_MAX_DEPTH = 60  # nesting beyond what people write is left whole


@dataclass(slots=True, eq=False)
class Definition:
    """One definition; rows are counted from 0.

    Attributes:
        start: first row, with its comments and decorators.
        head: row at which the definition itself begins.
        end: last row, included.
        opens: byte at which its signature begins, after decorators.
        node: the node that is its whole source, for its statements.
        parent: what holds it, None at the top.
        more: further symbols that the same statement defines.
    """

    kind: str
    symbol: str
    start: int
    head: int
    end: int
    signature_start: int
    node: Node
    body: Node | None
    parent: Definition | None
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions in the order of the text, each after what holds it, and the imports as `(row, module)`."""

    definitions: Sequence[Definition]
    imports: Sequence[tuple[int, str]]


class _Frame(NamedTuple):
    """A node whose children are to be looked at, and where it stands."""

    node: Node
    parent: Definition | None
    constants: bool
    depth: int


@dataclass(slots=True)
class _OutlineWalk:
    """The walk's own state: a stack in place of recursion."""

    rules: Rules
    source: bytes
    stack: list[_Frame] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)


def build_outline(root: Node, rules: Rules, source: bytes) -> Outline:
    """What the file under `root` defines and imports."""
    walk = _OutlineWalk(rules, source)
    walk.stack.append(_Frame(root, None, constants=True, depth=0))
    while walk.stack:
        _visit_children(walk, walk.stack.pop())
    walk.definitions.sort(key=lambda found: (found.node.start_byte, -found.node.end_byte))
    return Outline(walk.definitions, walk.imports)


def get_last_row(node: Node) -> int:
    """The row of the node's last character; some grammars let a node end at the start of the next line."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _visit_children(walk: _OutlineWalk, frame: _Frame) -> None:
    """Looks at each child, keeping track of the comments that stand right above it.

    One blank line between does not part them, but after the comment that a file begins with.
    """
    rules, previous, lead, lead_end = walk.rules, -1, -1, -2
    for node in frame.node.named_children:
        kind, row, end = node.type, node.start_point[0], get_last_row(node)
        if kind in rules.leading:
            if row > previous:
                lead = lead if lead >= 0 and row <= lead_end + 1 else row
                lead_end = end
            continue
        start = lead if lead >= 0 and row <= lead_end + (2 if lead else 1) else row
        lead, previous = -1, end
        if kind in rules.imports:
            walk.imports.extend((row, name) for name in rules.imports[kind](node, walk.source) if name)
        if kind in rules.told or end - start >= LONG_LINES or node.has_error:
            _visit_node(walk, frame, node, (start, row, end))


def _visit_node(walk: _OutlineWalk, frame: _Frame, node: Node, rows: tuple[int, int, int]) -> None:
    """Notes a definition, and puts aside what has to be looked into; `rows` are a definition's start, head and end."""
    rules, target, kind = walk.rules, node, node.type
    while kind in rules.wraps and (inner := _unwrap_node(target)) is not None:
        target, kind = inner, inner.type
    finder = rules.definitions.get(kind)
    if finder is None or (found := _apply_finder(finder, target, walk.source)) is None or not _is_valid(found, frame):
        is_plain = kind in rules.through
        if frame.depth < _MAX_DEPTH and (is_plain or target.has_error or rows[2] - rows[0] >= LONG_LINES):
            walk.stack.append(_Frame(target, frame.parent, frame.constants and is_plain, frame.depth + 1))
        return
    parent = frame.parent
    before = f"{parent.symbol}." if parent else ""
    made = Definition(
        "method" if found.kind == "function" and _has_methods(parent) else found.kind,
        before + found.name,
        *rows,
        _find_signature_start(node) if target is not node else node.start_byte,
        node,
        found.body,
        parent,
        tuple(before + name for name in found.more) if found.more else (),
    )
    walk.definitions.append(made)
    if found.body is not None and frame.depth < _MAX_DEPTH and _has_inner_definitions(made):
        walk.stack.append(_Frame(found.body, made, made.kind in SCOPES, frame.depth + 1))


def _find_signature_start(node: Node) -> int:
    """Where the signature of what is wrapped begins: `export class` after its decorators."""
    return next((child.start_byte for child in node.children if child.type != "decorator"), node.start_byte)


def _unwrap_node(wrapper: Node) -> Node | None:
    """What a decorator, an `export` or a `template` stands around."""
    for name in ("declaration", "definition", "value"):
        if (inner := wrapper.child_by_field_name(name)) is not None:
            return inner
    count = wrapper.named_child_count
    return wrapper.named_child(count - 1) if count else None


def _apply_finder(finder: str | Finder, node: Node, source: bytes) -> FoundDefinition | None:
    """What the rule makes of the node; a definition without a name is none."""
    if isinstance(finder, str):
        return FoundDefinition(finder, read_field(node, source, "name"), node.child_by_field_name("body"))
    return finder(node, source)


def _is_valid(found: FoundDefinition, frame: _Frame) -> bool:
    """Whether it has a name, which broken code may lack, and is no constant inside a class or a function."""
    is_name = 0 < len(found.name) <= _MAX_NAME_CHARS and found.name.isprintable()
    return is_name and (found.kind != CONSTANT or frame.constants)


def _has_methods(parent: Definition | None) -> bool:
    return parent is not None and parent.kind in CONTAINERS and parent.kind not in SCOPES


def _has_inner_definitions(made: Definition) -> bool:
    """Containers for their members; a long function, or one that swallowed its neighbours, for its inner ones."""
    return made.kind in CONTAINERS or made.end - made.head >= LONG_LINES or made.node.has_error
