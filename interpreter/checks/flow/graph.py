"""Checks of the graph of phases: unbounded cycles, unreachable phases, and gates with a way around."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.decisions import find_dead_rules
from aurora.interpreter.checks.expressions.scopes import collect_phase_sites, collect_sites
from aurora.interpreter.checks.expressions.sites import find_root_paths
from aurora.interpreter.checks.view import Check
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.language.definition import find_reachable
from aurora.interpreter.language.model import END
from aurora.interpreter.problems import codes, find_nearest, list_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.view import Transition, WorkflowView
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.problems import Place, Problem


def check_cycles(view: WorkflowView) -> Iterator[Problem]:
    """Report unbounded cycles, and failures that lead back to where they happened."""
    dead_rules = find_dead_rules(view)
    taken = [transition for transition in view.transitions if (transition.source, transition.rule) not in dead_rules]
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
    loc = next(loc for name, index, _, loc in view.rules if (name, index) == (edge.source, edge.rule))
    return view.locate_value(*loc, edge.kind)


_KEYS_OF_EDGES = {"overflow": ("for_each", "else"), "decline": ("person", "on_decline")}


def _locate_on_error(view: WorkflowView, phase: str) -> Place:
    """Locate the `on_error` of a phase: its own, or that of the workflow."""
    if view.phases[phase].on_error is not None:
        return view.locate_value("phases", phase, "on_error")
    return view.locate_value("on_error")


def _find_ending_phases(view: WorkflowView) -> set[str]:
    """Find the phases from which a run can end; an unknown target counts as an end."""
    transitions = list(view.transitions)
    back: dict[str, list[str]] = {}
    todo = [name for name, _, rule, _ in view.rules if not view.is_known_target(rule.then)]
    for transition in transitions:
        if transition.target is None:
            todo.append(transition.source)
        elif transition.kind != "on_error":
            back.setdefault(transition.target, []).append(transition.source)
    return find_reachable(todo, back)


# Without recursion: a workflow may have 2,000 phases in a row, which is deeper than Python's stack.
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
    # Phases that nothing leads to come first: the others are only
    # reached from them, and need no report of their own.
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
    for transition in view.transitions:
        if transition.target is not None and (transition.source, transition.rule) not in dead_rules:
            edges.setdefault(transition.source, set()).add(transition.target)
    flow = view.definition.workflow
    targets = [(name, target) for name, _, rule, _ in view.rules for target in (rule.then, rule.else_)]
    targets += [(name, phase.on_error or flow.on_error) for name, phase in view.phases.items()]
    for name, target in targets:
        if target is not None and not view.is_known_target(target):
            # A misspelt target is reported once, as that, and not again
            # as a workflow that cannot be reached behind it.
            intended = find_nearest(target, view.phase_by_name)
            if intended is None:
                return None
            edges.setdefault(name, set()).add(view.phase_by_name[intended])
    return edges


UNREACHABLE = Check(check_unreachable_phases)


_AGREEING = frozenset(
    {"accept", "accepted", "agree", "agreed", "allow", "approve", "approved", "confirm", "confirmed"}
) | {*("deploy", "go", "merge", "ok", "publish", "release", "ship", "yes")}
"""Choices of a form that agree."""
_REFUSING = frozenset({"abort", "cancel", "changes", "decline", "deny", "discard", "no", "not", "redo", "refuse"}) | {
    *("reject", "rejected", "retry", "rework", "revise", "rewrite", "skip", "stop", "undo", "wait", "wrong")
}
"""Words in the name of a boolean field that refuses when it is true."""

_REPLY_VALUES = frozenset({"answer", "answers", "status"})


def check_gate_bypass(view: WorkflowView) -> Iterator[Problem]:
    """Report each gate that a failure leads around, and each decline that is taken as consent."""
    gates = [name for name in view.phases if _asks_person(view, name)]
    if not gates:
        return
    dead = find_dead_rules(view)
    taken = [edge for edge in (*view.transitions, *view.skips) if (edge.source, edge.rule) not in dead]
    for gate in gates:
        yield from _find_failures(view, gate, taken)
        yield from _find_refused_targets(view, gate)


def _find_failures(view: WorkflowView, gate: str, taken: list[Transition]) -> Iterator[Problem]:
    """Report the first failure, of the gate or before it, that leads where only a consent leads."""
    around = _map_edges(taken, without=gate)
    before = _find_phases_before(view, gate, taken)
    agreed = _find_consent_targets(view, gate) - before - _find_declined_phases(view, gate, around)
    if not agreed:
        return
    for edge in taken:
        if edge.kind != "on_error" or edge.target is None or edge.source not in {gate, *before}:
            continue
        if agreed <= find_reachable([edge.target], around):
            bypassed = sorted(agreed, key=list(view.phases).index)
            is_own = edge.source == gate
            yield _report_bypass(view, gate, bypassed) if is_own else _report_failure(view, gate, edge, bypassed)
            return


def _find_refused_targets(view: WorkflowView, gate: str) -> Iterator[Problem]:
    """Report a decline, and a refusal, that leads where a consent leads."""
    person = view.phases[gate].person
    if person is None or is_read_later(view, gate):
        return
    agreed, refused = follow_replies(view, gate)
    declined = view.resolve_target(person.on_decline) if person.on_decline is not None else None
    is_pointless = refused is None and not person.form
    if declined is not None and agreed == declined and (is_pointless or refused not in (None, agreed)):
        place = view.locate_value("phases", gate, "person", "on_decline")
        message = f'a decline leads from "{gate}" to "{declined}", as a consent does'
        help_ = f'let "on_decline" lead where "{gate}" leads without a consent'
        yield codes.GATE_BYPASS.make_problem(place, message, help=help_)
    elif agreed is not None and agreed == refused not in (END, gate) and reads_only_flags(view, gate):
        last = len(view.phases[gate].next_action) - 1
        place = view.locate_value(*view.build_rule_path(gate, last), "then")
        message = f'a refusal leads from "{gate}" to "{agreed}", as a consent does'
        yield codes.GATE_BYPASS.make_problem(place, message, help="let the rule for a refusal lead elsewhere")


def _report_failure(view: WorkflowView, gate: str, edge: Transition, bypassed: list[str]) -> Problem:
    """Report a phase before the gate whose failure leads around it."""
    is_own = view.phases[edge.source].on_error is not None
    place = view.locate_value("phases", edge.source, "on_error") if is_own else view.locate_value("on_error")
    message = f'a failure of "{edge.source}" leads to {list_names(bypassed)}, past "{gate}", without consent'
    return codes.GATE_BYPASS.make_problem(place, message, help='let "on_error" lead to a phase that needs no consent')


def _asks_person(view: WorkflowView, phase: str) -> bool:
    """Return whether a phase asks the person, itself or in the workflow that it runs."""
    if view.phases[phase].person is not None:
        return True
    todo = [view.find_workflow(phase)]
    seen: set[str] = set()
    while todo:
        inner = todo.pop()
        if inner is None or inner.workflow.name in seen:
            continue
        seen.add(inner.workflow.name)
        if any(spec.person is not None for spec in inner.workflow.phases.values()):
            return True
        todo += _list_inner(view, inner)
    return False


def _list_inner(view: WorkflowView, definition: Definition) -> list[Definition | None]:
    names = [spec.workflow for spec in definition.workflow.phases.values() if spec.workflow]
    return [view.workflows.find_definition(name) for name in names] if view.workflows is not None else []


def _find_consent_targets(view: WorkflowView, gate: str) -> set[str]:
    """Find where a consent leads: to the target of an answer that agrees, else to any of the rules."""
    agreed, refused = follow_replies(view, gate)
    if agreed is not None and refused is not None and agreed != refused:
        return {agreed} - {END}
    targets = {view.resolve_target(rule.then) for rule in view.phases[gate].next_action}
    return {target for target in targets if target is not None}


def _find_phases_before(view: WorkflowView, gate: str, taken: list[Transition]) -> set[str]:
    """Find the phases that a run enters without the gate and without a failure."""
    start = view.resolve_target(view.definition.workflow.start)
    ordinary = _map_edges([edge for edge in taken if edge.kind != "on_error"], without=gate)
    return find_reachable([start], ordinary) if start is not None and start != gate else set()


def _find_declined_phases(view: WorkflowView, gate: str, around: Mapping[str, list[str]]) -> set[str]:
    """Find the phases that a run enters after a decline that the author routes."""
    person = view.phases[gate].person
    declined = view.resolve_target(person.on_decline if person is not None and person.on_decline is not None else END)
    return find_reachable([declined], around) if declined is not None and declined != gate else set()


def _map_edges(edges: list[Transition], *, without: str) -> Mapping[str, list[str]]:
    """Map each phase to those that its edges lead to, leaving out one phase."""
    found: dict[str, list[str]] = {}
    for edge in edges:
        if edge.target is not None and without not in (edge.source, edge.target):
            found.setdefault(edge.source, []).append(edge.target)
    return found


def _report_bypass(view: WorkflowView, gate: str, bypassed: list[str]) -> Problem:
    person, is_own = view.phases[gate].person, view.phases[gate].on_error is not None
    declines = person is not None and person.on_decline is None
    way = "a failure of this question, and a decline," if declines else "a failure of this question"
    if person is None:
        way = "a failure of the workflow that asks the person"
    place = view.locate_value("phases", gate, "on_error") if is_own else view.locate_value("on_error")
    message = f'{way} {"lead" if declines else "leads"} from "{gate}" to {list_names(bypassed)}, without consent'
    help_ = f'let "on_error" of "{gate}" lead to a phase that needs no consent'
    if person is not None:
        help_ += ", as a decline does" if not declines else ', and name one in "on_decline"'
    return codes.GATE_BYPASS.make_problem(place, message, help=help_)


GATES = Check(check_gate_bypass)


def follow_replies(view: WorkflowView, gate: str) -> tuple[str | None, str | None]:
    """Follow the rules of a gate for an answer that agrees, and for one that refuses; None where unknown.

    Without a field that agrees or refuses, a consent leads where the only rule leads.
    """
    flags = list_flags(view, gate)
    if flags:
        yes, no = ({name: values[at] for name, values in flags.items()} for at in (0, 1))
        return _follow_rules(view, gate, yes), _follow_rules(view, gate, no)
    rules = view.phases[gate].next_action
    return (_resolve(view, rules[0].then) if len(rules) == 1 else None), None


def list_flags(view: WorkflowView, gate: str) -> dict[str, tuple[Any, Any]]:
    """List the fields of the form that agree or refuse, each with its values for both."""
    person = view.phases[gate].person
    found: dict[str, tuple[Any, Any]] = {}
    for name, field in (person.form if person else {}).items():
        if field.get("type") == "boolean":
            refuses = bool(_REFUSING & set(re.split(r"[_\W]+", name.lower())))
            found[name] = (not refuses, refuses)
        choices = field.get("enum")
        texts = [one for one in choices if isinstance(one, str)] if isinstance(choices, list) else []
        agreeing = [one for one in texts if one.lower() in _AGREEING]
        others = [one for one in texts if one not in agreeing]
        if len(agreeing) == 1 and others:
            found[name] = (agreeing[0], others[0])
    return found


def reads_only_flags(view: WorkflowView, gate: str) -> bool:
    """Return whether the rules decide by the fields that agree or refuse, and by nothing else: no `max`."""
    flags = {("answer", name) for name in list_flags(view, gate)}
    sites = [site for site in collect_phase_sites(view, gate) if site.kind == "when"]
    read = {path[:2] for site in sites if site.tree is not None for path in find_root_paths(site.tree)}
    is_bounded = any(rule.max is not None for rule in view.phases[gate].next_action)
    return bool(read) and read <= flags and not is_bounded


def is_read_later(view: WorkflowView, gate: str) -> bool:
    """Return whether an expression elsewhere reads the reply: the answer or the status of the gate."""
    for site in collect_sites(view):
        for path in find_root_paths(site.tree) if site.tree is not None and site.phase != gate else ():
            if path[:2] == ("phases", gate) and (path[2:3] == () or path[2] in _REPLY_VALUES):
                return True
    return False


def _follow_rules(view: WorkflowView, gate: str, answer: Mapping[str, Any]) -> str | None:
    """Return the target for an answer; None when the rules read more than the answer."""
    for rule in view.phases[gate].next_action:
        try:
            holds = rule.when is None or evaluate_expression(rule.when, {"answer": answer})
        except ExpressionError:
            return None
        if not isinstance(holds, bool):
            return None
        if holds:
            return _resolve(view, rule.then)
    return None


def _resolve(view: WorkflowView, target: str) -> str | None:
    return END if target == END else view.resolve_target(target)
