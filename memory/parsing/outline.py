"""The outline of a file: its definitions and imports, from the upper levels of its syntax tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing.languages import CONSTANT, CONTAINERS, SCOPES, FoundDefinition, OutlineRules, read_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from aurora.memory.parsing.languages import Finder

LONG_LINES = 120
"""A function, or any other node, of more lines than this is visited inside and may be split."""

_LOCAL_CLASS = re.compile(rb"\b(?:class|struct|interface|enum|trait|record|object)\s+\w")
_MAX_NAME_CHARS = 200
_MAX_CLAUSE_GAP = 2  # one blank line
_MAX_DEPTH = 60  # deeper nesting is generated code, and stays whole


@dataclass(slots=True, eq=False)
class Definition:
    """One definition; rows count from 0.

    Attributes:
        start: first row, with its comments and decorators.
        head: row at which the definition itself begins.
        end: last row, included.
        signature_start: byte at which its signature begins, after decorators.
        node: the node of its whole source, for its statements.
        parent: the definition that contains it, None at the top.
        more: further symbols that the same statement defines.
        clauses: the nodes of the further clauses of a function that is defined by cases.
        is_local: a class inside a function: it is a definition of the graph, and stays in the function's piece.
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
    clauses: list[Node] = field(default_factory=list)
    is_local: bool = False

    @property
    def end_byte(self) -> int:
        """The byte after its last clause."""
        return (self.clauses[-1] if self.clauses else self.node).end_byte


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions in the order of the text, each after its parent, and the imports as `(row, module)`."""

    definitions: Sequence[Definition]
    imports: Sequence[tuple[int, str]]


class _Frame(NamedTuple):
    """A node whose children are still to be visited, with its parent definition and depth.

    Attributes:
        constants: constants count as definitions.
        is_local: the body of a short function, of which only classes are definitions.
    """

    node: Node
    parent: Definition | None
    constants: bool
    depth: int
    is_local: bool = False


@dataclass(slots=True)
class _OutlineWalk:
    """The state of the walk, with a stack instead of recursion."""

    rules: OutlineRules
    source: bytes
    stack: list[_Frame] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)


def build_outline(root: Node, rules: OutlineRules, source: bytes) -> Outline:
    """List what the file under `root` defines and imports."""
    walk = _OutlineWalk(rules, source)
    walk.stack.append(_Frame(root, None, constants=True, depth=0))
    while walk.stack:
        _visit_children(walk, walk.stack.pop())
    walk.definitions.sort(key=lambda found: (found.node.start_byte, -found.node.end_byte))
    return Outline(_merge_clauses(walk.definitions) if rules.clauses else walk.definitions, walk.imports)


def _merge_clauses(definitions: Sequence[Definition]) -> list[Definition]:
    """Merge adjacent definitions of one function, `fib 0 = 0` and `fib 1 = 1`."""
    kept: list[Definition] = []
    latest: dict[int, Definition] = {}  # the last definition so far under each parent
    for each in definitions:
        before = latest.get(id(each.parent))
        if before is not None and _is_clause(each, before):
            before.clauses.append(each.node)
            before.end = each.end
        else:
            kept.append(each)
            latest[id(each.parent)] = each
    return kept


def _is_clause(each: Definition, before: Definition) -> bool:
    if (each.kind, each.symbol) != (before.kind, before.symbol) or each.kind not in {"function", "method"}:
        return False
    return each.start - before.end <= _MAX_CLAUSE_GAP


def get_last_row(node: Node) -> int:
    """Return the row of the node's last character; some grammars end a node at the start of the next line."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _visit_children(walk: _OutlineWalk, frame: _Frame) -> None:
    """Visit each child with the comments right above it.

    One blank line does not separate a comment from its node, except after the comment that a file begins with.
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
        if kind in rules.known or end - start >= LONG_LINES or node.has_error:
            _visit_node(walk, frame, node, (start, row, end))


def _visit_node(walk: _OutlineWalk, frame: _Frame, node: Node, rows: tuple[int, int, int]) -> None:
    """Add the definition of a node, and push the nodes inside it; `rows` are its start, head and end."""
    rules, target = walk.rules, node
    while target.type in rules.wraps and (inner := _unwrap_node(target)) is not None:
        target = inner
    finder = rules.definitions.get(target.type)
    found = _apply_finder(finder, target, walk.source) if finder is not None else None
    if found is not None and frame.is_local and found.kind not in CONTAINERS:
        return
    if found is None or not _is_valid(found, frame):
        is_plain = target.type in rules.through
        if frame.depth < _MAX_DEPTH and (is_plain or target.has_error or rows[2] - rows[0] >= LONG_LINES):
            constants = frame.constants and is_plain
            walk.stack.append(_Frame(target, frame.parent, constants, frame.depth + 1, frame.is_local))
        return
    signature_start = _find_signature_start(node) if target is not node else node.start_byte
    made = _make_definition(found, frame.parent, node, rows, signature_start)
    made.is_local = frame.is_local
    walk.definitions.append(made)
    if found.body is None or frame.depth >= _MAX_DEPTH:
        return
    if _has_inner_definitions(made):
        walk.stack.append(_Frame(found.body, made, made.kind in SCOPES, frame.depth + 1))
    elif _LOCAL_CLASS.search(walk.source, found.body.start_byte, found.body.end_byte):
        walk.stack.append(_Frame(found.body, made, constants=False, depth=frame.depth + 1, is_local=True))


def _make_definition(
    found: FoundDefinition, parent: Definition | None, node: Node, rows: tuple[int, int, int], signature_start: int
) -> Definition:
    """Make the definition, its symbols qualified by its parent."""
    prefix = f"{parent.symbol}." if parent else ""
    kind = "method" if found.kind == "function" and _has_methods(parent) else found.kind
    more = tuple(prefix + name for name in found.more) if found.more else ()
    return Definition(kind, prefix + found.name, *rows, signature_start, node, found.body, parent, more)


def _find_signature_start(node: Node) -> int:
    """Find where the signature of a wrapped definition begins: `export class`, after its decorators."""
    return next((child.start_byte for child in node.children if child.type != "decorator"), node.start_byte)


def _unwrap_node(wrapper: Node) -> Node | None:
    """Return the node inside a decorator, an `export` or a `template`."""
    for name in ("declaration", "definition", "value"):
        if (inner := wrapper.child_by_field_name(name)) is not None:
            return inner
    count = wrapper.named_child_count
    return wrapper.named_child(count - 1) if count else None


def _apply_finder(finder: str | Finder, node: Node, source: bytes) -> FoundDefinition | None:
    """Apply a rule to a node."""
    if isinstance(finder, str):
        return FoundDefinition(finder, read_field(node, source, "name"), node.child_by_field_name("body"))
    return finder(node, source)


def _is_valid(found: FoundDefinition, frame: _Frame) -> bool:
    """Return whether a definition has a name, and is no local constant.

    Broken code may lack a name; a local constant is one in a class or a function.
    """
    has_name = 0 < len(found.name) <= _MAX_NAME_CHARS and found.name.isprintable()
    return has_name and (found.kind != CONSTANT or frame.constants)


def _has_methods(parent: Definition | None) -> bool:
    return parent is not None and parent.kind in CONTAINERS and parent.kind not in SCOPES


def _has_inner_definitions(made: Definition) -> bool:
    """Return whether its body is visited: a container, a long function, or one with a syntax error."""
    return made.kind in CONTAINERS or made.end - made.head >= LONG_LINES or made.node.has_error
