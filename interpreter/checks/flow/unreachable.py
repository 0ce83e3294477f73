"""Check of phases that no run can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.rules import find_dead_rules
from aurora.interpreter.language import find_reachable
from aurora.interpreter.problems import codes, find_nearest, list_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem


def check_unreachable_phases(view: WorkflowView) -> Iterator[Problem]:
    """Report each unreachable group once, at the phase that leads to the rest of it."""
    start = view.resolve_target(view.definition.workflow.start)
    edges = _collect_edges(view)
    if start is None or edges is None:
        return
    reached = find_reachable([start], edges)
    islands = [name for name in view.phases if name not in reached]
    entered = {target for name in islands for target in edges.get(name, ()) if target != name}
    reported: set[str] = set()
    for name in sorted(islands, key=lambda name: name in entered):
        if name in reported:
            continue
        island = find_reachable([name], edges) - reached
        reported |= island
        rest = f", nor to {list_names(island - {name})}" if len(island) > 1 else ""
        message = f'no path leads from "{start}" to phase "{name}"{rest}'
        help_ = "name it in a rule of a reachable phase, or remove it"
        yield codes.UNREACHABLE.make_problem(view.locate_key("phases", name), message, help=help_)


def _collect_edges(view: WorkflowView) -> dict[str, set[str]] | None:
    """Collect the edges, correcting misspelt targets; None when one is unknown."""
    edges: dict[str, set[str]] = {}
    dead_rules = find_dead_rules(view)
    for transition in view.transitions():
        if transition.target is not None and (transition.source, transition.rule) not in dead_rules:
            edges.setdefault(transition.source, set()).add(transition.target)
    flow = view.definition.workflow
    targets = [(name, target) for name, _, rule, _ in view.rules() for target in (rule.then, rule.else_)]
    targets += [(name, phase.on_error or flow.on_error) for name, phase in view.phases.items()]
    for name, target in targets:
        if target is not None and not view.is_known_target(target):
            intended = find_nearest(target, view.phase_by_name)
            if intended is None:
                return None
            edges.setdefault(name, set()).add(view.phase_by_name[intended])
    return edges


CHECK = Check(check_unreachable_phases)
