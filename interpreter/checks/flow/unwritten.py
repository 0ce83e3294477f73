"""Inputs that are recalled before they were written, and optional ones that are always there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.checks.expressions.sites import sites
from aurora.interpreter.checks.expressions.tree import field_path, paths
from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.suggestions import listed

from .presence import always_there
from .unwritten_paths import told, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions.sites import Site
    from aurora.interpreter.checks.view import View
    from aurora.interpreter.problems.problem import Problem

_NOTHING_YET = {"inputs": {}, "phases": {}, "run": {"id": "", "step": 0, "visits": {}}}
_WRITTEN = frozenset({"answer", "result"})
_LEAST = 3


def problems(view: View) -> Iterator[Problem]:
    """Each input that some way leads to too early, and each `optional` that says nothing."""
    wrong = expressions.wrong(view)
    for site in sites(view):
        if site.kind == "from" and site not in wrong:
            yield from _too_early(view, site)
            yield from _needlessly(view, site)
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items():
            if spec.optional and spec.default is not None:
                message = f'input "{key}" of phase "{name}" is "optional" and has a default, so it is always there'
                place = view.key("phases", name, "inputs", key, "optional")
                yield codes.ALWAYS_THERE.at(place, message, help='remove "optional", or "default"')


def _too_early(view: View, site: Site) -> Iterator[Problem]:
    spec = view.phases[site.phase].inputs[site.name]
    if spec.optional or spec.has_default or site.tree is None:
        return
    read = set(paths(site.tree))
    plain = all(len(path) >= _LEAST and path[0] == "phases" and path[2] in _WRITTEN for path in read)
    sources = frozenset(path[1] for path in read) if plain else frozenset()
    if not sources or not sources <= set(view.phases) or _value(site.text) is not None:
        return
    way = without(view, site.phase, sources)
    if way is not None:
        message = (
            f'input "{site.name}" of phase "{site.phase}" is read from {listed(sources)}, '
            "and a run can come here before that has written it"
        )
        help_ = "give it a `default`, or say `optional: true`; as it is, the caller is asked for it"
        note = f"the shortest way: {told(view, site.phase, way)}"
        yield codes.UNWRITTEN.at(site.place((0, len(site.text))), message, help=help_, note=note)


def _needlessly(view: View, site: Site) -> Iterator[Problem]:
    """An optional input that every way brings a value for."""
    spec = view.phases[site.phase].inputs[site.name]
    path = field_path(site.tree) if site.tree is not None else None
    if spec.optional and spec.default is None and always_there(site, path):
        message = f'input "{site.name}" of phase "{site.phase}" is "optional", and every way here has written it'
        place = view.key("phases", site.phase, "inputs", site.name, "optional")
        help_ = 'remove "optional", so that the prompt and the rules may count on it'
        yield codes.ALWAYS_THERE.at(place, message, help=help_)


def _value(text: str) -> object:
    try:
        return evaluate(text, _NOTHING_YET)
    except ExpressionError:
        return None
