"""Check of phases that run a workflow: its name, its arguments, and how deep it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes, did_you_mean, find_nearest, list_names, suggest_fix

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.language import Definition, InputSpec
    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

MAX_DEPTH = 5
"""Workflows inside each other, without the one that a run begins with."""


def check_workflows(view: WorkflowView) -> Iterator[Problem]:
    """Report unknown and broken workflows, endless nesting, and unknown or missing arguments."""
    if view.workflows is None:
        return
    for name, phase in view.phases.items():
        if phase.workflow is None:
            continue
        walked = view.find_workflow(name)
        own = view.definition.workflow.name
        if walked is None and phase.workflow != own and phase.workflow not in view.workflows.list_names():
            yield _report_unknown(view, name, phase.workflow)
            continue
        chain = _find_deep_chain(view, (own, phase.workflow))
        if chain is not None:
            yield _report_nesting(view, name, chain)
            continue
        error = view.workflows.find_error(phase.workflow)
        if error is not None:
            yield _report_broken(view, name, phase.workflow, error)
        if walked is not None:
            yield from _check_arguments(view, name, walked)


def _report_unknown(view: WorkflowView, phase: str, name: str) -> Problem:
    known = view.workflows.list_names() if view.workflows else ()
    message = f'phase "{phase}" runs "{name}", which is not a workflow'
    help_ = did_you_mean(name, known) or f"expected one of {list_names(known)}"
    place = view.locate_value("phases", phase, "workflow")
    return codes.UNKNOWN_WORKFLOW.make_problem(place, message, help=help_, fix=suggest_fix(name, known))


def _report_broken(view: WorkflowView, phase: str, name: str, error: Problem) -> Problem:
    """Report a workflow with an error, and the place of the error, however deep it is."""
    is_deeper = error.code == codes.UNKNOWN_WORKFLOW.code and error.note
    message = f'phase "{phase}" runs "{name}", which {"runs a workflow with" if is_deeper else "has"} an error'
    note = error.note if is_deeper else error.heading
    place = view.locate_value("phases", phase, "workflow")
    help_ = f"`aur workflow validate {name}` shows it"
    return codes.UNKNOWN_WORKFLOW.make_problem(place, message, help=help_, note=note)


def _find_deep_chain(view: WorkflowView, chain: tuple[str, ...]) -> tuple[str, ...] | None:
    """Find a chain of workflows that closes a circle or is too long; None when there is none."""
    seen: set[str] = set()
    todo = [chain]
    while todo:
        path = todo.pop()
        if path[-1] in path[:-1] or len(path) - 1 > MAX_DEPTH:
            return path
        key = f"{path[-1]} {len(path)}"
        found = view.workflows.find_definition(path[-1]) if view.workflows and key not in seen else None
        seen.add(key)
        inner = {phase.workflow for phase in found.workflow.phases.values() if phase.workflow} if found else set()
        todo.extend((*path, name) for name in sorted(inner))
    return None


def _report_nesting(view: WorkflowView, phase: str, chain: tuple[str, ...]) -> Problem:
    path = " → ".join(chain)
    circle = chain[-1] in chain[:-1]
    message = (
        f"a workflow runs itself: {path}" if circle else f"workflows are nested more than {MAX_DEPTH} deep: {path}"
    )
    help_ = "let a rule lead back to a phase instead" if circle else "put the phases of one of them into another"
    return codes.NESTED_WORKFLOWS.make_problem(view.locate_value("phases", phase, "workflow"), message, help=help_)


def _check_arguments(view: WorkflowView, name: str, walked: Definition) -> Iterator[Problem]:
    """Report arguments that the first phase of the workflow does not take, and those that it misses."""
    phase, flow = view.phases[name], walked.workflow
    start = flow.map_phase_names().get(flow.start)
    if start is None:
        return
    known = flow.phases[start].inputs
    group, passed = ("with", [*phase.with_]) if phase.with_ is not None else ("inputs", [*phase.inputs])
    for argument in passed:
        if argument not in known:
            message = f'workflow "{flow.name}" takes no input "{argument}"; it takes {list_names(known) or "none"}'
            help_ = did_you_mean(argument, known)
            if group == "inputs" and not help_:
                help_ = "list under `with:` the inputs that the workflow gets"
            fix = suggest_fix(argument, known) if group == "with" else None
            place = view.locate_key("phases", name, group, argument)
            yield codes.UNKNOWN_ARGUMENT.make_problem(place, message, help=help_, fix=fix)
    intended = {find_nearest(argument, known) for argument in passed if argument not in known}
    missing = [key for key in _list_required(known) if key not in passed and key not in intended]
    if missing:
        message = f'workflow "{flow.name}" needs {list_names(missing)}, which phase "{name}" does not pass'
        place = view.locate_value("phases", name, "workflow")
        yield codes.UNKNOWN_ARGUMENT.make_problem(place, message, help="add a line to `with`")


def _list_required(inputs: Mapping[str, InputSpec]) -> list[str]:
    return [name for name, spec in inputs.items() if not (spec.optional or spec.has_default or spec.from_ is not None)]


CHECK = Check(check_workflows, is_local=True)
