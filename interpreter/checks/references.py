"""Names of phases and tools that must exist, and what is handed to a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.model import END
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Fix
from aurora.interpreter.problems.suggestions import did_you_mean, listed, nearest, respelt
from aurora.interpreter.schema.validate import json_path, mismatches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.schema.lint import Steps

    from .view import Loc, View


def problems(view: View) -> Iterator[Problem]:
    """Unknown targets, unknown tools, wrong settings, arguments that the tool does not take."""
    flow = view.definition.workflow
    yield from _target(view, flow.start, ("start",), "start", may_end=False)
    if flow.on_error is not None:
        yield from _target(view, flow.on_error, ("on_error",), "on_error", may_end=False)
    for name, phase in view.phases.items():
        if phase.on_error is not None:
            yield from _target(view, phase.on_error, ("phases", name, "on_error"), "on_error", may_end=False)
        if phase.uses is not None and view.tools is not None:
            yield from _tool(view, name)
    for _, _, rule, loc in view.rules():
        yield from _target(view, rule.then, (*loc, "then"), "then")
        if rule.else_ is not None:
            yield from _target(view, rule.else_, (*loc, "else"), "else")


def _target(view: View, name: str, loc: Loc, key: str, *, may_end: bool = True) -> Iterator[Problem]:
    if name in view.names or (may_end and name == END):
        return
    known = [*view.names, *([END] if may_end else [])]
    message = f'"{key}" names "{name}", which is no phase; expected one of {listed(known)}'
    yield codes.UNKNOWN_TARGET.at(view.value(*loc), message, help=did_you_mean(name, known), fix=respelt(name, known))


def _tool(view: View, name: str) -> Iterator[Problem]:
    phase = view.phases[name]
    facts = view.facts(name)
    if facts is None:
        known = view.tools.names() if view.tools else ()
        message = f'phase "{name}" uses "{phase.uses}", which is no tool'
        help_ = did_you_mean(str(phase.uses), known) or f"there are {listed(known)}"
        fix = respelt(str(phase.uses), known)
        yield codes.UNKNOWN_TOOL.at(view.value("phases", name, "uses"), message, help=help_, fix=fix)
        return
    yield from _settings(view, name, facts.params)
    yield from _arguments(view, name, facts.input)


def _settings(view: View, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    missing: dict[Steps, list[str]] = {}
    wrong = mismatches(phase.params, schema)
    misspelt = {(*one.steps[:-1], one.suggestion) for one in wrong if one.suggestion}
    for one in wrong:
        loc: Loc = ("phases", name, "params", *one.steps)
        if one.kind == "required":
            if one.steps in misspelt:
                continue
            missing.setdefault(one.steps[:-1], []).append(str(one.steps[-1]))
            continue
        path = json_path(one.steps[:-1] if one.kind == "additionalProperties" else one.steps, "")[1:]
        where = f'setting "{path}" of "{phase.uses}"' if path else f'the settings of "{phase.uses}"'
        place = view.key(*loc) if one.kind == "additionalProperties" else view.value(*loc)
        help_ = f'did you mean "{one.suggestion}"?' if one.suggestion else ""
        fix = Fix(str(one.steps[-1]), one.suggestion) if one.suggestion and one.kind == "additionalProperties" else None
        yield codes.BAD_PARAMS.at(place, f"{where}: {one.message}", help=help_, fix=fix)
    for steps, names in missing.items():
        path = json_path(steps, "")[1:]
        where = f'setting "{path}" of "{phase.uses}"' if path else f'"{phase.uses}"'
        message = f'{where} needs {listed(names)}, which phase "{name}" does not give'
        loc = ("phases", name, "params", *steps) if phase.params else ("phases", name, "uses")
        place = view.key(*loc) if phase.params else view.value(*loc)
        yield codes.BAD_PARAMS.at(place, message, help="add it under `params`")


def _arguments(view: View, name: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    phase = view.phases[name]
    known = schema.get("properties", {})
    group = "with" if phase.with_ is not None else "inputs"
    handed = phase.with_ if phase.with_ is not None else phase.inputs
    for argument in handed:
        if argument not in known:
            message = f'tool "{phase.uses}" takes no argument "{argument}"; it takes {listed(known) or "none"}'
            help_ = did_you_mean(argument, known)
            if group == "inputs" and not help_:
                help_ = "say with `with:` which inputs the tool gets"
            fix = respelt(argument, known) if group == "with" else None  # an input's name is read elsewhere too
            yield codes.UNKNOWN_ARGUMENT.at(view.key("phases", name, group, argument), message, help=help_, fix=fix)
    meant = {nearest(argument, known) for argument in handed if argument not in known}
    missing = [name for name in schema.get("required", ()) if name not in handed and name not in meant]
    if missing:
        message = f'tool "{phase.uses}" needs {listed(missing)}, which phase "{name}" does not hand over'
        help_ = "add an input of that name, or a line to `with`"
        yield codes.UNKNOWN_ARGUMENT.at(view.value("phases", name, "uses"), message, help=help_)
