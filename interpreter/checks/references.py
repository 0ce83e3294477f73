"""Check of references to phases and tools, and of what a tool gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language import END
from aurora.interpreter.problems import Fix, codes, did_you_mean, find_nearest, list_names, suggest_fix
from aurora.interpreter.schema import find_mismatches, format_json_path

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.schema import Steps

    from .view import Loc, WorkflowView


def check_references(view: WorkflowView) -> Iterator[Problem]:
    """Report unknown targets and tools, bad settings and unknown arguments."""
    flow = view.definition.workflow
    yield from _check_target(view, flow.start, ("start",), "start", may_end=False)
    if flow.on_error is not None:
        yield from _check_target(view, flow.on_error, ("on_error",), "on_error", may_end=False)
    for name, phase in view.phases.items():
        if phase.on_error is not None:
            yield from _check_target(view, phase.on_error, ("phases", name, "on_error"), "on_error", may_end=False)
        if phase.uses is not None and view.tools is not None:
            yield from _check_tool(view, name)
    for _, _, rule, loc in view.rules():
        yield from _check_target(view, rule.then, (*loc, "then"), "then")
        if rule.else_ is not None:
            yield from _check_target(view, rule.else_, (*loc, "else"), "else")


def _check_target(view: WorkflowView, name: str, loc: Loc, key: str, *, may_end: bool = True) -> Iterator[Problem]:
    if name in view.phase_by_name or (may_end and name == END):
        return
    known = [*view.phase_by_name, *([END] if may_end else [])]
    message = f'"{key}" names "{name}", which is no phase; expected one of {list_names(known)}'
    yield codes.UNKNOWN_TARGET.make_problem(
        view.locate_value(*loc), message, help=did_you_mean(name, known), fix=suggest_fix(name, known)
    )


def _check_tool(view: WorkflowView, name: str) -> Iterator[Problem]:
    phase = view.phases[name]
    facts = view.find_tool(name)
    if facts is None:
        known = view.tools.names() if view.tools else ()
        message = f'phase "{name}" uses "{phase.uses}", which is no tool'
        help_ = did_you_mean(str(phase.uses), known) or f"there are {list_names(known)}"
        fix = suggest_fix(str(phase.uses), known)
        yield codes.UNKNOWN_TOOL.make_problem(view.locate_value("phases", name, "uses"), message, help=help_, fix=fix)
        return
    yield from _check_settings(view, name, facts.params)
    yield from _check_arguments(view, name, facts.input)


def _check_settings(view: WorkflowView, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    missing: dict[Steps, list[str]] = {}
    wrong = find_mismatches(phase.params, schema)
    misspelt = {(*one.steps[:-1], one.suggestion) for one in wrong if one.suggestion}
    for one in wrong:
        loc: Loc = ("phases", name, "params", *one.steps)
        if one.kind == "required":
            if one.steps in misspelt:
                continue
            missing.setdefault(one.steps[:-1], []).append(str(one.steps[-1]))
            continue
        path = format_json_path(one.steps[:-1] if one.kind == "additionalProperties" else one.steps, "")[1:]
        where = f'setting "{path}" of "{phase.uses}"' if path else f'the settings of "{phase.uses}"'
        place = view.locate_key(*loc) if one.kind == "additionalProperties" else view.locate_value(*loc)
        help_ = f'did you mean "{one.suggestion}"?' if one.suggestion else ""
        fix = Fix(str(one.steps[-1]), one.suggestion) if one.suggestion and one.kind == "additionalProperties" else None
        yield codes.BAD_PARAMS.make_problem(place, f"{where}: {one.message}", help=help_, fix=fix)
    for steps, names in missing.items():
        path = format_json_path(steps, "")[1:]
        where = f'setting "{path}" of "{phase.uses}"' if path else f'"{phase.uses}"'
        message = f'{where} needs {list_names(names)}, which phase "{name}" does not give'
        loc = ("phases", name, "params", *steps) if phase.params else ("phases", name, "uses")
        place = view.locate_key(*loc) if phase.params else view.locate_value(*loc)
        yield codes.BAD_PARAMS.make_problem(place, message, help="add it under `params`")


def _check_arguments(view: WorkflowView, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    known = schema.get("properties", {})
    group = "with" if phase.with_ is not None else "inputs"
    handed = phase.with_ if phase.with_ is not None else phase.inputs
    for argument in handed:
        if argument not in known:
            message = f'tool "{phase.uses}" takes no argument "{argument}"; it takes {list_names(known) or "none"}'
            help_ = did_you_mean(argument, known)
            if group == "inputs" and not help_:
                help_ = "say with `with:` which inputs the tool gets"
            fix = suggest_fix(argument, known) if group == "with" else None  # an input's name is used elsewhere too
            yield codes.UNKNOWN_ARGUMENT.make_problem(
                view.locate_key("phases", name, group, argument), message, help=help_, fix=fix
            )
    meant = {find_nearest(argument, known) for argument in handed if argument not in known}
    missing = [name for name in schema.get("required", ()) if name not in handed and name not in meant]
    if missing:
        message = f'tool "{phase.uses}" needs {list_names(missing)}, which phase "{name}" does not hand over'
        help_ = "add an input of that name, or a line to `with`"
        yield codes.UNKNOWN_ARGUMENT.make_problem(view.locate_value("phases", name, "uses"), message, help=help_)


CHECK = Check(check_references, is_local=True)
