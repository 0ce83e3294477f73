"""Independence of decisions: every walk through the graph is a run that values can bring about."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import collect_phase_sites, find_root_paths, to_field_path
from aurora.interpreter.checks.rules import analyse_rules
from aurora.interpreter.checks.visits import is_never_begun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks import WorkflowView
    from aurora.interpreter.checks.expressions import ExpressionSite

Origin = tuple[str, ...]
"""Where a value enters a run: a phase and a path in it; for an input that a caller brings, `inputs` and its name."""

_VALUE_DEPTH = 3


def has_independent_rules(view: WorkflowView) -> bool:
    """Return whether each rule of each phase can win whatever rules won before.

    That is so where rules read what their own visit brings. A value from before may be read in one place only, by a
    phase that a run visits once.
    """
    used: list[Origin] = []
    for name in view.phases:
        found = _find_phase_origins(view, name)
        if found is None or (any(origin[0] != name for origin in found) and not is_never_begun(view, name, name)):
            return False
        used += found
    used.sort()  # whatever begins with an origin follows it
    return not any(_overlap(one, other) for one, other in pairwise(used))


def _find_phase_origins(view: WorkflowView, phase: str) -> set[Origin] | None:
    """Find the origins of all that the conditions of a phase read; None where one is not known."""
    sites = [site for site in collect_phase_sites(view, phase) if site.kind in ("when", "skip")]
    if sites and phase not in analyse_rules(view):
        return None
    found = {origin for site in sites for origin in _find_origins(site)}
    known = {origin for origin in found if origin is not None}
    return known if len(known) == len(found) else None


def _find_origins(site: ExpressionSite) -> Iterator[Origin | None]:
    """Yield the origin of each value that a condition reads; None where it is not known."""
    for path in find_root_paths(site.tree) if site.tree is not None else ():
        match path:
            case ("inputs", name, *rest):
                yield _trace_input(site, name, tuple(rest))
            case ("phases", *_):
                yield _trace_phase(site, path)
            case ("inputs" | "run", *_):
                yield None
            case ("vars" | "null", *_):
                continue
            case ("answer" | "answers", *rest):
                yield (site.phase, "answer", *rest)
            case _:
                yield (site.phase, "result", *path)


def _trace_input(site: ExpressionSite, name: str, rest: tuple[str, ...]) -> Origin | None:
    """Trace an input of the phase: to its caller, or to the phase that it is read from."""
    spec = site.view.phases[site.phase].inputs.get(name)
    if spec is None:
        return None
    if spec.from_ is None:
        return ("inputs", name)
    sources = [one for one in collect_phase_sites(site.view, site.phase) if one.kind == "from" and one.name == name]
    path = to_field_path(sources[0].tree) if sources and sources[0].tree is not None else None
    return _trace_phase(sources[0], (*path, *rest)) if path is not None and path[0] == "phases" else None


def _trace_phase(site: ExpressionSite, path: tuple[str, ...]) -> Origin | None:
    """Trace `phases.NAME.answer…` and `.result…`, where they are always written."""
    if len(path) < _VALUE_DEPTH or path[2] not in ("answer", "result"):
        return None
    written = site.infer_presence(path[:_VALUE_DEPTH])
    return path[1:] if written == "always" else None


def _overlap(one: Origin, other: Origin) -> bool:
    """Return whether one origin contains the other, or is the same."""
    return all(first == second for first, second in zip(one, other, strict=False))
