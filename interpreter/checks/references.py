"""Checks of what a workflow names elsewhere: tools, arguments, phases, workflows, versions."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

from aurora import __version__
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.language.model import END
from aurora.interpreter.language.resources import is_params_file
from aurora.interpreter.problems import Fix, codes, did_you_mean, find_nearest, list_names, suggest_fix
from aurora.interpreter.schema.json_values import format_json_path
from aurora.interpreter.schema.validate import find_mismatches

from .schemas import INCREASING
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run.ports import ToolFacts
    from aurora.interpreter.schema.json_values import Steps
    from aurora.interpreter.schema.validate import Mismatch

    from .view import Loc, WorkflowView

MAX_DEPTH = 5
"""Workflows inside each other, without the one that a run begins with."""

_CONDITION = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d{1,6}(?:\.\d{1,6}){0,3})\s*")
_OPERATORS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def check_references(view: WorkflowView) -> Iterator[Problem]:
    """Report unknown targets, unknown and forbidden tools, bad settings and unknown arguments."""
    flow = view.definition.workflow
    yield from _check_target(view, flow.start, ("start",), "start", may_end=False)
    if flow.on_error is not None:
        yield from _check_target(view, flow.on_error, ("on_error",), "on_error", may_end=False)
    for name, phase in view.phases.items():
        if phase.on_error is not None:
            yield from _check_target(view, phase.on_error, ("phases", name, "on_error"), "on_error", may_end=False)
        if phase.for_each is not None and phase.for_each.else_ is not None:
            yield from _check_target(view, phase.for_each.else_, ("phases", name, "for_each", "else"), "else")
        if phase.person is not None and phase.person.on_decline is not None:
            loc: Loc = ("phases", name, "person", "on_decline")
            yield from _check_target(view, phase.person.on_decline, loc, "on_decline")
        if phase.uses is not None and view.tools is not None:
            yield from _check_tool(view, name)
    for _, _, rule, loc in view.rules:
        yield from _check_target(view, rule.then, (*loc, "then"), "then")
        if rule.else_ is not None:
            yield from _check_target(view, rule.else_, (*loc, "else"), "else")


def _check_target(view: WorkflowView, name: str, loc: Loc, key: str, *, may_end: bool = True) -> Iterator[Problem]:
    if name in view.phase_by_name or (may_end and name == END):
        return
    known = [*view.phase_by_name, *([END] if may_end else [])]
    message = f'"{key}" names "{name}", which is not a phase; expected one of {list_names(known)}'
    yield codes.UNKNOWN_TARGET.make_problem(
        view.locate_value(*loc), message, help=did_you_mean(name, known), fix=suggest_fix(name, known)
    )


def _check_tool(view: WorkflowView, name: str) -> Iterator[Problem]:
    phase = view.phases[name]
    facts = view.find_tool(name)
    if facts is None:
        known = _list_usable(view)
        message = f'phase "{name}" uses "{phase.uses}", which is not a tool'
        help_ = did_you_mean(str(phase.uses), known) or f"expected one of {list_names(known)}"
        fix = suggest_fix(str(phase.uses), known)
        yield codes.UNKNOWN_TOOL.make_problem(view.locate_value("phases", name, "uses"), message, help=help_, fix=fix)
        return
    if facts.phase_use != "phases" and not (facts.phase_use == "jobs" and view.definition.workflow.is_job):
        yield _report_forbidden(view, name, facts)
        return
    if not any(map(is_params_file, view.phases[name].params.values())):  # a name stays of a file that cannot be read
        yield from _check_settings(view, name, facts.params)
    yield from _check_arguments(view, name, facts.input)
    yield from _check_allowed(view, name, facts)


def _report_forbidden(view: WorkflowView, name: str, facts: ToolFacts) -> Problem:
    """Report a tool that the declaration of the tool does not allow to this phase."""
    uses = str(view.phases[name].uses)
    named = f'"{uses}"' if uses == facts.name else f'"{uses}", which is "{facts.name}"'
    place = view.locate_value("phases", name, "uses")
    if facts.phase_use == "jobs":
        # The note names the phase because of which this is no job: without it, the tool would be allowed.
        asking = next(phase for phase, spec in view.phases.items() if spec.asks or spec.workflow is not None)
        keys = ("prompt_template", "branches", "person", "workflow")
        key = next(key for key in keys if getattr(view.phases[asking], key) is not None)
        prompt = view.locate_key("phases", asking, key)
        return codes.FORBIDDEN_TOOL.make_problem(
            place,
            f'phase "{name}" uses {named}, and only a job may use it',
            help="move the phase into a workflow without prompts, and run that with `aur jobs run`",
            note=f'phase "{asking}" has {_ASKING_WORDS[key]} at {prompt.label}, so this is not a job',
        )
    usable = _list_usable(view)
    nearest = find_nearest(uses, usable)
    similar = f'the most similar tool that phases may use is "{nearest}"' if nearest else ""
    help_ = f"{similar or f'phases may use {list_names(usable, most=5)}'}; `aur tools list` shows all"
    message = f'phase "{name}" uses {named}, and no phase may use it'
    return codes.FORBIDDEN_TOOL.make_problem(place, message, help=help_)


_ASKING_WORDS = {
    "prompt_template": "a prompt",
    "branches": "prompts",
    "person": "a question",
    "workflow": "a workflow",
}


def _list_usable(view: WorkflowView) -> Sequence[str]:
    """List the tools that the workflow's phases may use."""
    return view.tools.names(in_job=view.definition.workflow.is_job) if view.tools else ()


def _check_settings(view: WorkflowView, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    missing: dict[Steps, list[str]] = {}
    mismatches = find_mismatches(phase.params, schema)
    if not mismatches:
        yield from _check_order(view, name, schema)
    # A misspelt setting is missing under its right name, too: that is one mistake, and told once.
    misspelt = {(*mismatch.steps[:-1], mismatch.suggestion) for mismatch in mismatches if mismatch.suggestion}
    for mismatch in mismatches:
        if mismatch.kind != "required":
            yield _report_setting(view, name, mismatch)
        elif mismatch.steps not in misspelt:
            missing.setdefault(mismatch.steps[:-1], []).append(str(mismatch.steps[-1]))
    for steps, names in missing.items():
        path = format_json_path(steps, "")[1:]
        where = f'setting "{path}" of "{phase.uses}"' if path else f'"{phase.uses}"'
        message = f'{where} needs {list_names(names)}, which phase "{name}" does not set'
        loc: Loc = ("phases", name, "params", *steps) if phase.params else ("phases", name, "uses")
        place = view.locate_key(*loc) if phase.params else view.locate_value(*loc)
        yield codes.BAD_PARAMS.make_problem(place, message, help="add it under `params`")


def _check_order(view: WorkflowView, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Report settings that must increase, and do not, each in the workflow's own file if it is there."""
    phase, own = view.phases[name], view.locate_value().path
    for steps, names, values in _list_increasing(phase.params, schema, schema.get("$defs", {}), ()):
        for index in range(1, len(names)):
            if values[index - 1] < values[index]:
                continue
            places = [view.locate_value("phases", name, "params", *steps, names[at]) for at in (index - 1, index)]
            # An overlay may change only one of the two settings: then the line in the overlay is named.
            is_upper = places[0].path != own and places[1].path == own
            at, other, words = (index, index - 1, "more") if is_upper else (index - 1, index, "less")
            path = format_json_path((*steps, names[at]), "")[1:]
            message = f'must be {words} than "{names[other]}", which is {values[other]}, not {values[at]}'
            help_ = f"these settings must increase: {' < '.join(names)}"
            yield codes.BAD_PARAMS.make_problem(
                places[is_upper], f'setting "{path}" of "{phase.uses}": {message}', help=help_
            )


def _list_increasing(
    params: Mapping[str, Any], schema: Mapping[str, Any], definitions: Mapping[str, Any], steps: Steps
) -> Iterator[tuple[Steps, Sequence[str], Sequence[float]]]:
    """Yield the path, the names and the values of settings that must increase."""
    names = [name for name in schema.get(INCREASING, ()) if isinstance(params.get(name), int | float)]
    if names:
        yield steps, names, [params[name] for name in names]
    for name, field in schema.get("properties", {}).items():
        inner = definitions.get(str(field.get("$ref", "")).removeprefix("#/$defs/"), field)
        if isinstance(value := params.get(name), dict):
            yield from _list_increasing(value, inner, definitions, (*steps, name))


def _report_setting(view: WorkflowView, phase: str, mismatch: Mismatch) -> Problem:
    loc: Loc = ("phases", phase, "params", *mismatch.steps)
    tool, suggestion = view.phases[phase].uses, mismatch.suggestion
    is_unknown = mismatch.kind == "additionalProperties"
    path = format_json_path(mismatch.steps[:-1] if is_unknown else mismatch.steps, "")[1:]
    where = f'setting "{path}" of "{tool}"' if path else f'the settings of "{tool}"'
    place = view.locate_key(*loc) if is_unknown else view.locate_value(*loc)
    help_ = f'did you mean "{suggestion}"?' if suggestion else ""
    fix = Fix(str(mismatch.steps[-1]), suggestion) if suggestion and is_unknown else None
    message = mismatch.message
    if mismatch.kind == "type":
        message = _TYPE_WORD.sub(lambda found: _YAML_WORDS[found[0]], message)
    return codes.BAD_PARAMS.make_problem(place, f"{where}: {message}", help=help_, fix=fix)


_YAML_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}
"""The words for types of JSON in messages about a file of YAML."""
_TYPE_WORD = re.compile(rf"\b(?:{'|'.join(_YAML_WORDS)})\b")


def _check_arguments(view: WorkflowView, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    known = schema.get("properties", {})
    group = "with" if phase.with_ is not None else "inputs"
    passed = phase.with_ if phase.with_ is not None else phase.inputs
    for argument in passed:
        if argument not in known:
            message = f'tool "{phase.uses}" takes no argument "{argument}"; it takes {list_names(known) or "none"}'
            help_ = did_you_mean(argument, known) or _suggest_missing(schema, passed)
            if group == "inputs" and not help_:
                help_ = "list under `with:` the inputs that the tool gets"
            fix = suggest_fix(argument, known) if group == "with" else None  # an input's name is used elsewhere too
            yield codes.UNKNOWN_ARGUMENT.make_problem(
                view.locate_key("phases", name, group, argument), message, help=help_, fix=fix
            )
    missing = _list_missing(schema, passed)
    if missing:
        message = f'tool "{phase.uses}" needs {list_names(missing)}, which phase "{name}" does not pass'
        help_ = "add an input of that name, or a line to `with`"
        yield codes.UNKNOWN_ARGUMENT.make_problem(view.locate_value("phases", name, "uses"), message, help=help_)


def _list_missing(schema: Mapping[str, Any], passed: Collection[str]) -> list[str]:
    """List the required arguments that are not passed, but those that an unknown one stands for."""
    known = schema.get("properties", {})
    unknown = [argument for argument in passed if argument not in known]
    # A misspelt argument is missing under its right name, too: that is one mistake, and told once.
    intended = {find_nearest(argument, known) for argument in unknown}
    missing = [name for name in schema.get("required", ()) if name not in passed and name not in intended]
    return [] if len(missing) == len(unknown) == 1 else missing


def _suggest_missing(schema: Mapping[str, Any], passed: Collection[str]) -> str:
    """Suggest the one required argument that a phase does not pass; empty when there are none or more."""
    missing = [name for name in schema.get("required", ()) if name not in passed]
    return f'the required argument that is missing is "{missing[0]}"' if len(missing) == 1 else ""


def _check_allowed(view: WorkflowView, name: str, facts: ToolFacts) -> Iterator[Problem]:
    """Report a literal argument that is not allowed on this machine.

    A route for the failure does not excuse it: each run takes that route, which is meant for what a program reports.
    """
    target = view.definition.workflow.find_error_target(name)
    effect = f"each run follows `on_error` to {list_names([target])}" if target is not None else "the phase fails"
    for argument, allowed in facts.allowed.items():
        notes = [effect, *([f"allowed in this project: {list_names(allowed)}"] if allowed else [])]
        value = _read_literal((view.phases[name].with_ or {}).get(argument))
        if isinstance(value, str) and value not in allowed:
            yield codes.NOT_ALLOWED_HERE.make_problem(
                view.locate_value("phases", name, "with", argument),
                f'phase "{name}" gives "{facts.name}" the {argument} "{value}", which is not allowed on this machine',
                help="allow it in your own config.toml; if only others run it, add `# aur: ignore W264 -- reason`",
                note="; ".join(notes),
            )


def _read_literal(text: Any) -> Any:
    """Return the value of an expression that is one literal; None for any other."""
    if not isinstance(text, str):
        return text
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return None
    return tree["value"] if tree["type"] == "literal" else None


REFERENCES = Check(check_references, is_local=True)


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
            yield from _check_walk_arguments(view, name, walked)


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
        # The depth is part of the key: a workflow that was reached early may be too deep by another way.
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


def _check_walk_arguments(view: WorkflowView, name: str, walked: Definition) -> Iterator[Problem]:
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


WORKFLOWS = Check(check_workflows, is_local=True)


def check_requirements(view: WorkflowView) -> Iterator[Problem]:
    """Report an unmet or malformed version, and tools that do not exist."""
    needs = view.definition.workflow.requires
    if needs is None:
        return
    if needs.aurora is not None:
        met = is_version_met(needs.aurora, __version__)
        if met is None:
            message = f'"{needs.aurora}" is not a requirement of a version'
            place = view.locate_value("requires", "aurora")
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help='for example ">=1.2", or ">=1.2, <2"')
        elif not met:
            message = f"this workflow needs Aurora {needs.aurora}, and this is {__version__}"
            place = view.locate_value("requires", "aurora")
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help="install another version of Aurora")
    for index, name in enumerate(needs.tools) if view.tools is not None else ():
        if view.tools is not None and view.tools.facts(name) is None:
            known = view.tools.names(in_job=view.definition.workflow.is_job)
            message = f'this workflow needs the tool "{name}", which does not exist here'
            help_ = did_you_mean(name, known) or "install the distribution that has it"
            place = view.locate_value("requires", "tools", index)
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help=help_, fix=suggest_fix(name, known))


def is_version_met(requirement: str, version: str) -> bool | None:
    """Return whether a version meets all conditions of `>=1.2, <2`; None when that cannot be read.

    Args:
        requirement: conditions between commas, each an operator and a version of up to four numbers.
        version: a version of numbers; what follows them, as `rc1`, is ignored.
    """
    conditions = [_CONDITION.fullmatch(part) for part in requirement.split(",")]
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    if numbers is None or any(found is None for found in conditions):
        return None
    own = _pad_version(numbers[0])
    return all(_OPERATORS[found[1]](own, _pad_version(found[2])) for found in conditions if found)


def _pad_version(text: str) -> tuple[int, ...]:
    """Convert to four numbers, so that 1.2 equals 1.2.0."""
    numbers = [int(part) for part in text.split(".")][:4]
    return (*numbers, *[0] * (4 - len(numbers)))


REQUIREMENTS = Check(check_requirements)
