"""MCP prompts: one for each workflow, so that a host offers it as a slash command."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.faults.suggest import nearest, quoted
from aurora.tools.workflows.query import begun_by_hosts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.model import InputSpec, Workflow
    from aurora.tools.core.project import Project

_QUERY = "aurora_query"
_GOING_ON = (
    "Then send what next_call says, as it stands, and add what its needs list: where there is a prompt_template, "
    "reason about it and bring the answer. Go on until next_action is 'end', and tell me what came of it."
)


def prompts(project: Project) -> list[dict[str, Any]]:
    """What `prompts/list` says: the workflows that a host can begin."""
    return [_prompt(definition.workflow) for definition in begun_by_hosts(project)]


def prompt(project: Project, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """What `prompts/get` says: how to begin the workflow with these arguments.

    Args:
        project: the open project.
        name: the workflow's.
        arguments: texts, as MCP has it; where an input is no text, its JSON.

    Raises:
        Fault: NOT_FOUND for an unknown workflow; INVALID_INPUT for a broken one, and for arguments that it does not
            take or needs.
    """
    workflow = project.workflows.open(name).workflow
    inputs = _inputs(workflow)
    _judge(name, inputs, arguments)
    call = {"workflow": name, "phase": workflow.start} | {key: _value(inputs[key], arguments[key]) for key in arguments}
    text = (
        f'Work through this with Aurora, phase by phase, by the workflow "{name}"'
        f"{f' ({workflow.title})' if workflow.title else ''}. Call {_QUERY} with exactly these arguments:\n\n"
        f"{json.dumps(call, ensure_ascii=False)}\n\n{_GOING_ON}"
    )
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": _described(workflow), "messages": [message]}


def choices(project: Project, name: str, argument: str) -> list[str]:
    """The values that an argument may have, where its schema names them; none for what is not known."""
    with contextlib.suppress(Fault):
        spec = _inputs(project.workflows.open(name).workflow).get(argument)
        if spec is not None:
            return [text for text in spec.json_schema.get("enum", ()) if isinstance(text, str)]
    return []


def _prompt(workflow: Workflow) -> dict[str, Any]:
    arguments = [
        {"name": name, "description": _meaning(spec), "required": _required(spec)}
        for name, spec in _inputs(workflow).items()
    ]
    listed = {"name": workflow.name, "title": workflow.title, "description": _described(workflow)}
    return {key: value for key, value in listed.items() if value} | {"arguments": arguments}


def _described(workflow: Workflow) -> str:
    return " ".join(workflow.description.split()) or workflow.title


def _inputs(workflow: Workflow) -> dict[str, InputSpec]:
    """What the first phase takes of a person: what a run recalls is not for them to bring."""
    return {name: spec for name, spec in workflow.phases[workflow.start].inputs.items() if spec.from_ is None}


def _required(spec: InputSpec) -> bool:
    return not (spec.optional or spec.has_default)


def _meaning(spec: InputSpec) -> str:
    schema = spec.json_schema
    said = str(schema.get("description", ""))
    if named := schema.get("enum"):
        return f"{said} One of {quoted(map(str, named))}.".strip()
    return said or ("" if _is_text(schema) else "As JSON.")


def _judge(name: str, inputs: Mapping[str, InputSpec], arguments: Mapping[str, str]) -> None:
    for given in arguments:
        if given not in inputs:
            guess = nearest(given, inputs)
            raise Fault(
                Code.INVALID_INPUT,
                f'"{name}" takes no argument "{given[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
                help=f"It takes {quoted(inputs)}." if inputs else "It takes none.",
                details={"workflow": name, "argument": given[:80], "choices": sorted(inputs)},
            )
    missing = [key for key, spec in inputs.items() if _required(spec) and not arguments.get(key, "").strip()]
    if missing:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{name}" needs {quoted(missing)}',
            help="Write it after the command's name.",
            details={"workflow": name, "missing": missing},
        )


def _value(spec: InputSpec, text: str) -> Any:
    """The text, or what it says as JSON where the input is something else; the phase itself judges what it is."""
    if _is_text(spec.json_schema):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_text(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("type", "string") == "string")
