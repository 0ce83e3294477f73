"""Expressions in a workflow: where they stand, what they read, and their syntax trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.checks.visits import has_known_targets, is_always_begun, is_always_written, is_never_begun
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.run.rules import decides_by_answer

from .shapes import Namespace, Shape, drop_malformed_keywords, resolve_path
from .tokens import Span, Tree, find_path, map_node_spans
from .types import summarize_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.view import Loc, WorkflowView
    from aurora.interpreter.language.model import InputSpec
    from aurora.interpreter.problems import Place

    from .shapes import UnknownName

Presence = Literal["always", "maybe", "never", "unknown"]

_COMPOSING_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "if", "dependentRequired"})
"""Keywords that may require more fields than `required` lists."""
_INPUT_DEPTH = 2


def _is_nullable(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema says that its value may be null."""
    types = schema.get("type", ())
    return "null" in ([types] if isinstance(types, str) else types) or None in schema.get("enum", ())


# By identity, like the view: the same text at two places is two expressions.
@dataclass(frozen=True, eq=False)
class ExpressionSite:
    """An expression in a workflow, with its place and scope.

    Attributes:
        phase: the phase that it is in; empty for the workflow's `output`.
        kind: the key that it is in; `skip` is the `when` of a phase, and `when` that of a rule.
    """

    view: WorkflowView
    phase: str
    kind: Literal["from", "with", "for_each", "when", "skip", "output"]
    text: str
    loc: Loc
    build_scope: Callable[[], Namespace]
    index: int = 0
    """The rule of a `when`."""

    @cached_property
    def scope(self) -> Namespace:
        """The names that the expression can read; built when the expression is examined first."""
        return self.build_scope()

    @property
    def name(self) -> str:
        """The input of a `from`, the argument of a `with`, the field of an `output`."""
        return str(self.loc[-2 if self.loc[-1] == "from" else -1])

    def locate_span(self, stretch: tuple[int, int]) -> Place:
        """Locate a span (offset, length) of the expression in the file."""
        return self.view.locate_text(self.loc, *stretch)

    def locate_whole(self) -> Place:
        """Locate the expression in the file."""
        return self.locate_span((0, len(self.text)))

    def locate_path(self, path: Sequence[str]) -> Place:
        """Locate the last name of the first occurrence of a path."""
        return self.locate_span(find_path(self.text, path, len(path) - 1))

    def resolve_path(self, path: Sequence[str]) -> Namespace | Shape | UnknownName | None:
        """Resolve a path in the scope of the expression."""
        key = tuple(path)
        if key not in self._resolved:
            self._resolved[key] = resolve_path(self.scope, path)
        return self._resolved[key]

    @cached_property
    def _resolved(self) -> dict[tuple[str, ...], Namespace | Shape | UnknownName | None]:
        """The paths that were resolved: each check of the expression asks for the same ones."""
        return {}

    def find_schema(self, path: Sequence[str]) -> dict[str, Any] | None:
        """Find the JSON Schema at a path, if there is one."""
        key = tuple(path)
        if key not in self._summaries:
            shape = self.resolve_path(key)
            self._summaries[key] = summarize_schema(shape) if isinstance(shape, Shape) else None
        return self._summaries[key]

    @cached_property
    def _summaries(self) -> dict[tuple[str, ...], dict[str, Any] | None]:
        """The schemas that were found: the cases of a rule ask for the same ones."""
        return {}

    def find_source(self, path: Sequence[str]) -> tuple[str, ...] | None:
        """Find the value of a phase that an input is read from as it is; None for any other path.

        An input with a `default` is no such value, and one that the host brings is not, unless it is always there.
        """
        if len(path) < _INPUT_DEPTH or path[0] != "inputs" or self.kind not in ("when", "for_each", "with"):
            return None
        spec = self.view.phases[self.phase].inputs.get(path[1])
        plain = (spec.from_ or "").strip().split(".") if spec is not None else []
        is_plain = plain[:1] == ["phases"] and all(part.isidentifier() for part in plain)
        if spec is None or not is_plain or plain[1:2] == [] or plain[1] not in self.view.phases:
            return None
        is_recalled = spec.optional and not spec.has_default
        return (*plain, *path[2:]) if is_recalled or self._is_always_there(plain, spec) else None

    def _is_always_there(self, path: Sequence[str], spec: InputSpec) -> bool:
        """Return whether another phase always gives the value, so that no default takes its place."""
        if path[1] == self.phase or self.infer_presence(path) != "always":
            return False
        schema = self.find_schema(path) or {}
        is_typed = "const" in schema or bool(schema.get("enum")) or "type" in schema
        return not spec.has_default or (is_typed and not _is_nullable(schema))

    def infer_presence(self, path: Sequence[str]) -> Presence:
        """Infer whether there is always a value at a path, or whether it may be absent."""
        at, presence = self._find_base(path)
        if presence == "never":
            return presence
        for index in range(at, len(path)):
            shape = self.resolve_path(path[:index])
            is_required = self._is_required(shape, path[index])
            if is_required is None:
                return "unknown"
            if not is_required:
                return "maybe"
        return presence

    def _find_base(self, path: Sequence[str]) -> tuple[int, Presence]:
        """Find the part of the path that is known by its name, and whether it has a value."""
        match list(path):
            case ["inputs", name, *_]:
                return 2, self._infer_input_presence(name) if self.phase else "unknown"
            case ["answer" | "answers" as name, *_] if name in self.scope.members and self._asks:
                return 1, "always"
            case ["vars", _, *_]:
                return 2, "always"
            case ["phases", name, _, *_] if name in self.view.phases:
                return self._find_visit_base(path)
            case [name, *_] if name not in ("inputs", "phases", "run", "vars"):
                return 1, self._infer_field_presence(name)
            case _:
                return len(path), "unknown"

    @property
    def _asks(self) -> bool:
        return self.kind == "when" and self.view.phases[self.phase].asks

    @staticmethod
    def _is_required(shape: Namespace | Shape | UnknownName | None, name: str) -> bool | None:
        """Return whether each value of the shape has the field; None when the schema does not say."""
        schema = summarize_schema(shape) if isinstance(shape, Shape) else {}
        if _is_nullable(schema):
            return False
        if name in schema.get("required", ()):
            return True
        return False if _is_declared(schema, name) else None

    def _infer_visit_presence(self, phase: str, kind: str) -> Presence:
        """Infer whether a value of a phase is there, by the paths that lead to this expression."""
        if kind in ("error", "inputs") or not has_known_targets(self.view):
            return "unknown"
        if phase == self.phase and self.kind == "when" and decides_by_answer(self.view.phases[phase]):
            return "always"
        if is_never_begun(self.view, phase, self.phase):
            return "never"
        is_there = is_always_begun if kind in ("status", "visits") else is_always_written
        return "always" if is_there(self.view, phase, self.phase) else "maybe"

    def _find_visit_base(self, path: Sequence[str]) -> tuple[int, Presence]:
        """Find the part of a path below `phases` that is known by its name; an optional input may be null."""
        _, phase, kind, *rest = path
        if kind != "inputs" or not rest:
            return 3, self._infer_visit_presence(phase, kind)
        spec = self.view.phases[phase].inputs.get(rest[0])
        return 4, "maybe" if spec is not None and spec.optional and not spec.has_default else "unknown"

    def _infer_input_presence(self, name: str) -> Presence:
        if self.kind not in ("when", "for_each", "with"):
            return self._infer_sent_presence(name)
        spec = self.view.phases[self.phase].inputs.get(name)
        if spec is None:
            return "unknown"
        has_value = spec.default is not None if spec.has_default else not spec.optional
        return "always" if has_value else "maybe"

    def _infer_sent_presence(self, name: str) -> Presence:
        """Infer whether callers have sent an input by now: for this phase, or for one that may come before it."""
        given = {phase: spec.inputs[name] for phase, spec in self.view.phases.items() if name in spec.inputs}
        if not given or not has_known_targets(self.view):
            return "unknown"
        before = [one for one in given if one == self.phase or not is_never_begun(self.view, one, self.phase)]
        if not before:
            return "never"
        are_free = (given[one].from_ is None and (given[one].optional or given[one].has_default) for one in before)
        return "maybe" if all(are_free) else "unknown"

    def _infer_field_presence(self, name: str) -> Presence:
        if self.kind not in ("when", "for_each"):
            return "unknown"
        facts, own = (
            self.view.find_tool(self.phase),
            drop_malformed_keywords(self.view.find_result_schema(self.phase) or {}),
        )
        if name in (*own.get("required", ()), *(facts.output.get("required", ()) if facts else ())):
            return "always"
        return "maybe" if facts and name in own.get("properties", {}) else "unknown"

    @cached_property
    def tree(self) -> Tree | None:
        """The syntax tree; None when the expression has a syntax error."""
        try:
            tree: Tree = compile_expression(self.text).parsed
        except ExpressionError:
            return None
        return tree

    @cached_property
    def node_spans(self) -> Mapping[int, Span]:
        """The span of each name and literal of the tree, by the node's `id`."""
        return map_node_spans(self.text, self.tree) if self.tree is not None else {}

    def locate_node(self, node: Tree) -> Place:
        """Locate a name or literal of the tree; else the whole expression."""
        return self.locate_span(self.node_spans.get(id(node), (0, len(self.text))))

    def locate_parts(self, *parts: Tree) -> Place:
        """Locate the range of these parts; else the whole expression."""
        nodes = [id(node) for part in parts for node in walk_tree(part)]
        spans = [self.node_spans[node] for node in nodes if node in self.node_spans]
        start = min((offset for offset, _ in spans), default=0)
        end = max((offset + length for offset, length in spans), default=len(self.text))
        return self.locate_span((start, end - start))


def is_optional_field(shape: Shape, name: str) -> bool:
    """Return whether a schema declares a field, and some value of it lacks the field."""
    schema = summarize_schema(shape)
    return name not in schema.get("required", ()) and _is_declared(schema, name)


def _is_declared(schema: Mapping[str, Any], name: str) -> bool:
    return name in schema.get("properties", {}) and not _COMPOSING_KEYWORDS & set(schema)


def to_field_path(tree: Tree) -> tuple[str, ...] | None:
    """Return `a.b.c` as names from the root, or None for any other tree."""
    if tree["type"] == "field":
        return (tree["value"],)
    if tree["type"] != "subexpression":
        return None
    names: list[str] = []
    for child in tree["children"]:
        part = (child["value"],) if child["type"] == "field" else to_field_path(child)
        if part is None:
            return None
        names += part
    return tuple(names)


def is_bare_null(tree: Tree) -> bool:
    """Return whether this is `null` without backticks: an absent field, and so null."""
    return bool(tree["type"] == "field" and tree["value"] == "null")


def find_root_paths(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Find every path that starts at the root of the scope, not in a projection; `null` reads nothing."""
    if is_bare_null(tree):
        return
    path = to_field_path(tree)
    if path is not None:
        yield path
        return
    kind = tree["type"]
    children = tree["children"]
    if kind in ("subexpression", "index_expression", "projection", "value_projection", "filter_projection", "pipe"):
        head = _find_plain_prefix(tree)
        if head:
            yield head
        elif children:
            yield from find_root_paths(children[0])
        return
    if kind in ("literal", "identity", "current", "expref"):
        return
    for child in children:
        yield from find_root_paths(child)


def _find_plain_prefix(tree: Tree) -> tuple[str, ...]:
    """Find the plain names at the start of a path: `a.b` of `a.b[0].c`."""
    path = to_field_path(tree)
    if path is not None:
        return path
    if tree["type"] == "subexpression":
        left = _find_plain_prefix(tree["children"][0])
        plain = to_field_path(tree["children"][0]) is not None
        right = to_field_path(tree["children"][1]) if plain else None
        return (*left, *(right or ()))
    if tree["type"] in ("index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"):
        return _find_plain_prefix(tree["children"][0])
    return ()


def iterate_root_nodes(tree: Tree) -> Iterator[Tree]:
    """Iterate over the nodes that are evaluated over the scope itself."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        children = [child for child in node["children"] if isinstance(child, dict)]
        if node["type"] in RELATIVE_NODES:
            todo.extend(children[:1])
        elif node["type"] != "expref":
            todo.extend(children)


RELATIVE_NODES = frozenset(
    {"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"}
)


def walk_tree(tree: Tree) -> Iterator[Tree]:
    """Iterate over every node of the tree, the root first."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(child for child in node["children"] if isinstance(child, dict))


def find_needed_items(part: Tree) -> Iterator[tuple[Tree, int]]:
    """Find the lists of which a part takes an item by its place, each with the items it needs."""
    children: list[Tree] = []
    for child in part["children"] if part["type"] == "subexpression" else [part]:
        if child["type"] == "index_expression" and child["children"][-1]["type"] == "index":
            index, inner = child["children"][-1]["value"], child["children"][0]
            listed = {"type": "subexpression", "children": [*children, inner]} if children else inner
            yield listed, index + 1 if index >= 0 else -index
        children.append(child)
