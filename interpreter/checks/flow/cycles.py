"""Checks of the graph of phases: cycles without a bound, and phases that no path reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.decisions import find_dead_rules
from aurora.interpreter.checks.view import Check
from aurora.interpreter.language.definition import find_reachable
from aurora.interpreter.problems import codes, find_nearest, list_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.checks.view import Transition, WorkflowView
    from aurora.interpreter.problems import Place, Problem


def check_cycles(view: WorkflowView) -> Iterator[Problem]:
    """Report unbounded cycles, and failures that lead back to where they happened."""
    dead_rules = find_dead_rules(view)
    taken = [transition for transition in view.transitions() if (transition.source, transition.rule) not in dead_rules]
    transitions = [transition for transition in taken if transition.target is not None and not transition.bounded]
    ending = _find_ending_phases(view)
    for cycle in _find_cycles(view.phases, [transition for transition in transitions if transition.kind != "on_error"]):
        yield _report_cycle(view, cycle, ends=cycle[-1].source in ending)
    for cycle in _find_cycles(view.phases, transitions):
        failing = next((transition for transition in cycle if transition.kind == "on_error"), None)
        if failing is not None:
            message = f"infinite loop of failures: {_format_path(cycle)}"
            help_ = f'let "{failing.target}" lead only to an end, or give one of these phases another "on_error"'
            yield codes.ERROR_LOOP.make_problem(_locate_on_error(view, failing.source), message, help=help_)


def _report_cycle(view: WorkflowView, cycle: Sequence[Transition], *, ends: bool) -> Problem:
    closing = cycle[-1]
    place = _locate_edge(view, closing)
    if ends:
        help_ = f"limit it, as in `{{ then: {closing.target}, max: 2, else: end }}`"
        if closing.rule is None:
            help_ = f"lead to a phase of its own, and from there on with {help_.removeprefix('limit it, as in ')}"
        return codes.UNBOUNDED_CYCLE.make_problem(place, f"infinite loop: {_format_path(cycle)}", help=help_)
    message = f"no path leads from here to an end: {_format_path(cycle)}"
    return codes.NO_END.make_problem(place, message, help="let one of these phases lead to `end`")


def _format_path(cycle: Sequence[Transition]) -> str:
    return " → ".join([cycle[0].source, *(str(transition.target) for transition in cycle)])


def _locate_edge(view: WorkflowView, edge: Transition) -> Place:
    if edge.kind in _KEYS_OF_EDGES:
        return view.locate_value("phases", edge.source, *_KEYS_OF_EDGES[edge.kind])
    loc = next(loc for name, index, _, loc in view.rules() if (name, index) == (edge.source, edge.rule))
    return view.locate_value(*loc, edge.kind)


_KEYS_OF_EDGES = {"overflow": ("for_each", "else"), "decline": ("person", "on_decline")}


def _locate_on_error(view: WorkflowView, phase: str) -> Place:
    """Locate the `on_error` of a phase: its own, or that of the workflow."""
    if view.phases[phase].on_error is not None:
        return view.locate_value("phases", phase, "on_error")
    return view.locate_value("on_error")


def _find_ending_phases(view: WorkflowView) -> set[str]:
    """Find the phases from which a run can end; an unknown target counts as an end."""
    transitions = list(view.transitions())
    back: dict[str, list[str]] = {}
    todo = [name for name, _, rule, _ in view.rules() if not view.is_known_target(rule.then)]
    for transition in transitions:
        if transition.target is None:
            todo.append(transition.source)
        elif transition.kind != "on_error":
            back.setdefault(transition.target, []).append(transition.source)
    return find_reachable(todo, back)


def _find_cycles(phases: Iterable[str], transitions: Iterable[Transition]) -> Iterator[list[Transition]]:
    """Find one cycle per back edge of a depth-first search."""
    ways: dict[str, list[Transition]] = {}
    for transition in transitions:
        ways.setdefault(transition.source, []).append(transition)
    done: set[str] = set()
    for start in phases:
        trail: list[Transition] = []
        depth: dict[str, int] = {}
        todo: list[tuple[str, int]] = [(start, 0)] if start not in done else []
        while todo:
            name, index = todo.pop()
            depth.setdefault(name, len(trail))
            del trail[depth[name] :]
            if index >= len(ways.get(name, ())):
                done.add(name)
                del depth[name]
                continue
            todo.append((name, index + 1))
            transition = ways[name][index]
            target = str(transition.target)
            if target in depth:
                yield [*trail[depth[target] :], transition]
            elif target not in done:
                trail.append(transition)
                todo.append((target, 0))


CYCLES = Check(check_cycles)


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


UNREACHABLE = Check(check_unreachable_phases)
