"""Every expression of a workflow, with where it stands and what it sees there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.expressions.jmespath import ExpressionError, compiled

from . import scopes, tokens
from .shapes import Group, follow, sound
from .tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.view import Loc, View
    from aurora.interpreter.problems.problem import Place

    from .shapes import Missing, Shape
    from .tree import Tree


@dataclass(frozen=True, eq=False)
class Site:
    """One expression."""

    view: View
    phase: str
    kind: Literal["from", "with", "for_each", "when"]
    text: str
    loc: Loc
    scope: Group
    index: int = 0
    """Of a `when`: its rule."""

    @property
    def name(self) -> str:
        """Of a `from`: its input; of a `with`: its argument."""
        return str(self.loc[3])

    def place(self, stretch: tuple[int, int]) -> Place:
        """The place of a stretch (offset, length) of the expression."""
        return self.view.inside(self.loc, *stretch)

    def follow(self, path: Sequence[str]) -> Group | Shape | Missing | None:
        """What a path means here."""
        return follow(self.scope, path)

    def schema(self, path: Sequence[str]) -> dict[str, Any] | None:
        """The JSON Schema of what the path means here, when there is one."""
        shape = self.follow(path)
        resolved = getattr(shape, "resolved", None)
        return dict(resolved() or {}) if resolved else None

    def presence(self, path: Sequence[str]) -> Literal["always", "maybe", "unknown"]:
        """Whether there is always something at this path, or whether its schema lets it be left out."""
        if path[0] == "inputs" and len(path) == 2:  # noqa: PLR2004 - inputs.NAME
            spec = self.view.phases[self.phase].inputs.get(path[1])
            if spec is None:
                return "unknown"
            given = spec.default is not None if spec.has_default else not spec.optional
            return "always" if given else "maybe"
        if len(path) != 1:
            return "unknown"
        facts, own = self.view.facts(self.phase), sound(self.view.result_schema(self.phase) or {})
        if path[0] in (*own.get("required", ()), *(facts.output.get("required", ()) if facts else ())):
            return "always"
        return "maybe" if facts and path[0] in own.get("properties", {}) else "unknown"

    @cached_property
    def tree(self) -> Tree | None:
        """Its syntax tree; None when it cannot be read."""
        try:
            tree: Tree = compiled(self.text).parsed
        except ExpressionError:
            return None
        return tree

    @cached_property
    def stretches(self) -> Mapping[int, tokens.Stretch]:
        """Where each name and literal of the tree stands, by the node's `id`."""
        return tokens.stretches(self.text, self.tree) if self.tree is not None else {}

    def at(self, node: Tree) -> Place:
        """The place of a name or a literal of the tree, else of the whole expression."""
        return self.place(self.stretches.get(id(node), (0, len(self.text))))

    def across(self, *parts: Tree) -> Place:
        """The place from the first name or literal of these parts to the last; else of the whole expression."""
        found = [self.stretches[id(node)] for part in parts for node in walk(part) if id(node) in self.stretches]
        start = min((at for at, _ in found), default=0)
        return self.place((start, max((at + length for at, length in found), default=len(self.text)) - start))


@lru_cache(maxsize=1)
def sites(view: View) -> tuple[Site, ...]:
    """All of them, phase by phase; several checks ask, and working it out is what costs."""
    return tuple(_sites(view))


def sites_of(view: View, phase: str) -> tuple[Site, ...]:
    """Those of one phase."""
    return _by_phase(view).get(phase, ())


@lru_cache(maxsize=1)
def _by_phase(view: View) -> Mapping[str, tuple[Site, ...]]:
    found: dict[str, list[Site]] = {}
    for site in sites(view):
        found.setdefault(site.phase, []).append(site)
    return {phase: tuple(own) for phase, own in found.items()}


def _sites(view: View) -> Iterator[Site]:
    recalled = scopes.recalled(view)
    for name, phase in view.phases.items():
        decided = scopes.decided(view, name, recalled)
        for key, spec in phase.inputs.items():
            if spec.from_:
                yield Site(view, name, "from", spec.from_, ("phases", name, "inputs", key, "from"), recalled)
        for key, text in (phase.with_ or {}).items():
            yield Site(view, name, "with", text, ("phases", name, "with", key), scopes.handed(view, name))
        if phase.for_each:
            yield Site(view, name, "for_each", phase.for_each.in_, ("phases", name, "for_each", "in"), decided)
        for index, rule in enumerate(phase.next_action):
            if rule.when is not None:
                yield Site(view, name, "when", rule.when, (*view.rule(name, index), "when"), decided, index)
