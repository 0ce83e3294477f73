"""Expression sites: every expression of a workflow, with its place and scope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.expressions import ExpressionError, compile_expression

from . import scopes, tokens
from .shapes import Namespace, Shape, drop_malformed_keywords, resolve_path
from .tree import walk_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.view import Loc, WorkflowView
    from aurora.interpreter.problems import Place

    from .shapes import UnknownName
    from .tree import Tree

Presence = Literal["always", "maybe", "unknown"]


@dataclass(frozen=True, eq=False)
class ExpressionSite:
    """An expression in a workflow, with its place and scope."""

    view: WorkflowView
    phase: str
    kind: Literal["from", "with", "for_each", "when"]
    text: str
    loc: Loc
    scope: Namespace
    index: int = 0
    """The rule of a `when`."""

    @property
    def name(self) -> str:
        """The input of a `from`; the argument of a `with`."""
        return str(self.loc[3])

    def locate_span(self, stretch: tuple[int, int]) -> Place:
        """Locate a span (offset, length) of the expression in the file."""
        return self.view.locate_text(self.loc, *stretch)

    def resolve_path(self, path: Sequence[str]) -> Namespace | Shape | UnknownName | None:
        """Resolve a path in the scope of the expression."""
        return resolve_path(self.scope, path)

    def find_schema(self, path: Sequence[str]) -> dict[str, Any] | None:
        """Find the JSON Schema at a path, if there is one."""
        shape = self.resolve_path(path)
        return dict(shape.resolve() or {}) if isinstance(shape, Shape) else None

    def infer_presence(self, path: Sequence[str]) -> Presence:
        """Infer whether there is always a value at a path, or whether it may be absent."""
        match list(path):
            case ["inputs", name]:
                return self._infer_input_presence(name)
            case [_]:
                return self._infer_field_presence(path[0])
            case _:
                return "unknown"

    def _infer_input_presence(self, name: str) -> Presence:
        spec = self.view.phases[self.phase].inputs.get(name)
        if spec is None:
            return "unknown"
        has_value = spec.default is not None if spec.has_default else not spec.optional
        return "always" if has_value else "maybe"

    def _infer_field_presence(self, name: str) -> Presence:
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
    def node_spans(self) -> Mapping[int, tokens.Span]:
        """The span of each name and literal of the tree, by the node's `id`."""
        return tokens.map_node_spans(self.text, self.tree) if self.tree is not None else {}

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


@lru_cache(maxsize=1)
def collect_sites(view: WorkflowView) -> tuple[ExpressionSite, ...]:
    """Collect all expressions, phase by phase; cached, because several checks need them."""
    return tuple(_iterate_sites(view))


def collect_phase_sites(view: WorkflowView, phase: str) -> tuple[ExpressionSite, ...]:
    """Collect the expressions of one phase."""
    return _index_sites(view).get(phase, ())


@lru_cache(maxsize=1)
def _index_sites(view: WorkflowView) -> Mapping[str, tuple[ExpressionSite, ...]]:
    found: dict[str, list[ExpressionSite]] = {}
    for site in collect_sites(view):
        found.setdefault(site.phase, []).append(site)
    return {phase: tuple(own) for phase, own in found.items()}


def _iterate_sites(view: WorkflowView) -> Iterator[ExpressionSite]:
    recalled = scopes.build_from_scope(view)
    for name, phase in view.phases.items():
        decided = scopes.build_rule_scope(view, name, recalled)
        for key, spec in phase.inputs.items():
            if spec.from_:
                yield ExpressionSite(view, name, "from", spec.from_, ("phases", name, "inputs", key, "from"), recalled)
        for key, text in (phase.with_ or {}).items():
            yield ExpressionSite(
                view, name, "with", text, ("phases", name, "with", key), scopes.build_with_scope(view, name)
            )
        if phase.for_each:
            yield ExpressionSite(
                view, name, "for_each", phase.for_each.in_, ("phases", name, "for_each", "in"), decided
            )
        for index, rule in enumerate(phase.next_action):
            if rule.when is not None:
                yield ExpressionSite(
                    view, name, "when", rule.when, (*view.build_rule_path(name, index), "when"), decided, index
                )
