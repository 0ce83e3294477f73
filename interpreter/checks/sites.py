"""Every expression of a workflow, with where it stands and what it sees there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from . import scopes
from .shapes import Group, follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..problems import Place
    from .shapes import Missing, Shape
    from .view import Loc, View


@dataclass(frozen=True, slots=True)
class Site:
    """One expression."""

    view: View
    phase: str
    kind: Literal["from", "with", "for_each", "when"]
    text: str
    loc: Loc
    scope: Group

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

    def certain(self, path: Sequence[str]) -> bool:
        """Whether there is always something at this path."""
        inputs = self.view.phases[self.phase].inputs
        if path[0] == "inputs" and len(path) == 2:  # noqa: PLR2004 - inputs.NAME
            spec = inputs.get(path[1])
            return spec is not None and (not spec.optional or spec.default is not None)
        schema = self.view.result_schema(self.phase)
        return len(path) == 1 and schema is not None and path[0] in schema.get("required", ())


@lru_cache(maxsize=1)
def sites(view: View) -> tuple[Site, ...]:
    """All of them, phase by phase; several checks ask, and working it out is what costs."""
    return tuple(_sites(view))


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
                yield Site(view, name, "when", rule.when, (*view.rule(name, index), "when"), decided)
