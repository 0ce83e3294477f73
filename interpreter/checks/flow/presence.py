"""What was surely written before a phase begins: every way to it leads over a success of the phase that writes it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .dominance import Dominance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks.expressions.sites import Site
    from aurora.interpreter.checks.view import View

_LEAST = 3


def always_there(site: Site, path: Sequence[str] | None) -> bool:
    """Whether `phases.NAME.result…` or `phases.NAME.answer…` has a value whenever the site's phase begins in a run."""
    if path is None or len(path) < _LEAST or path[0] != "phases" or path[2] not in {"answer", "result"}:
        return False
    source, kind, inside = path[1], path[2], path[3:]
    view = site.view
    if source not in view.phases or not _every_way_is_known(view):
        return False
    if not _successes(view).always(_done(source), site.phase):
        return False
    return _required(_schema(view, source, kind), inside)


@lru_cache(maxsize=1)
def _every_way_is_known(view: View) -> bool:
    """Whether every rule leads to a phase that there is; a misspelt one may have been the way that differs."""
    said = [name for _, _, rule, _ in view.rules() for name in (rule.then, rule.else_) if name]
    failing = [phase.on_error for phase in view.phases.values() if phase.on_error]
    whole = view.definition.workflow.on_error
    return all(view.knows(name) for name in [*said, *failing, *([whole] if whole else [])])


@lru_cache(maxsize=1)
def _successes(view: View) -> Dominance:
    """The ways of a run, each phase parted into its beginning, from where failures lead on, and its success."""
    edges: dict[str, list[str]] = {}
    for name in view.phases:
        edges[name] = [_done(name)]
        edges[_done(name)] = []
    for arrow in view.arrows():
        if arrow.target is not None:
            source = arrow.source if arrow.kind == "on_error" else _done(arrow.source)
            edges[source].append(arrow.target)
    return Dominance(view.target(view.definition.workflow.start) or "", edges)


def _done(phase: str) -> str:
    return f"{phase} done"  # no id has a space


def _schema(view: View, phase: str, kind: str) -> Mapping[str, Any] | None:
    spec = view.phases[phase]
    if kind == "answer":
        return None if spec.for_each else view.definition.answers.get(phase)
    facts = view.facts(phase)
    return view.definition.outputs.get(phase) or (facts.output if facts else None)


def _required(schema: Mapping[str, Any] | None, path: Sequence[str]) -> bool:
    """Whether each value that fits the schema has something other than null at the path, as far as is plain to see."""
    here: Any = schema
    for part in path:
        if not isinstance(here, dict) or part not in here.get("required", ()):
            return False
        here = here.get("properties", {}).get(part)
    return isinstance(here, dict) and isinstance(here.get("type"), str) and here["type"] != "null"
