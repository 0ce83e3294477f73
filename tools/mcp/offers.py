"""Offers of a server besides tools: a prompt for each workflow, and resources with URIs."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from aurora import memory
from aurora.errors import Code, Fault, find_nearest, quote_names
from aurora.tools.runtime import call_tool, new_request_id
from aurora.tools.workflows.query import list_host_workflows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.interpreter.language.model import InputSpec, Workflow
    from aurora.tools.core import Project


_QUERY_TOOL = "aurora_query"
_CONTINUE_TEXT = (
    "Then send the arguments of next_call unchanged, and add what its needs list: if there is a prompt_template, "
    "reason about it and send the answer. Continue until next_action is 'end', and tell me the result."
)


def list_prompts(project: Project) -> list[dict[str, Any]]:
    """Return the result of `prompts/list`: the workflows that a host can start."""
    return [_describe_prompt(definition.workflow) for definition in list_host_workflows(project)]


def get_prompt(project: Project, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the result of `prompts/get`: how to start the workflow with these arguments.

    Args:
        project: the open project.
        name: the workflow's name.
        arguments: texts, as in MCP; JSON for an input that is not a text. `prompts/list` names one of them, and the
            others may be sent too.

    Raises:
        Fault: NOT_FOUND for an unknown workflow; INVALID_INPUT for a broken one, and for unknown or missing
            arguments.
    """
    workflow = project.workflows.open(name).workflow
    inputs = _list_inputs(workflow)
    _check_arguments(name, inputs, arguments)
    call = {"workflow": name} | {key: _parse_value(inputs[key], arguments[key]) for key in arguments}
    text = (
        f'Work through this with Aurora, phase by phase, with the workflow "{name}"'
        f"{f' ({workflow.title})' if workflow.title else ''}. Call {_QUERY_TOOL} with these arguments:\n\n"
        f"{json.dumps(call, ensure_ascii=False)}\n\n{_explain_rest(inputs, arguments)}{_CONTINUE_TEXT}"
    )
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": _describe_workflow(workflow), "messages": [message]}


def list_choices(project: Project, name: str, argument: str) -> list[str]:
    """Return the values of an argument that its schema lists; none for an unknown argument."""
    with contextlib.suppress(Fault):
        spec = _list_inputs(project.workflows.open(name).workflow).get(argument)
        if spec is not None:
            return [text for text in spec.json_schema.get("enum", ()) if isinstance(text, str)]
    return []


def _describe_prompt(workflow: Workflow) -> dict[str, Any]:
    inputs = _list_inputs(workflow)
    main = _find_main_input(inputs)
    arguments = [
        {"name": name, "description": _describe_input(inputs[name]), "required": _is_required(inputs[name])}
        for name in inputs
        if name == main
    ]
    listed = {"name": workflow.name, "title": workflow.title, "description": _describe_workflow(workflow)}
    return {key: value for key, value in listed.items() if value} | {"arguments": arguments}


def _describe_workflow(workflow: Workflow) -> str:
    return " ".join(workflow.description.split()) or workflow.title


def _list_inputs(workflow: Workflow) -> dict[str, InputSpec]:
    """Return the inputs of the first phase that the user gives; not those that a run recalls."""
    return {name: spec for name, spec in workflow.phases[workflow.start].inputs.items() if spec.from_ is None}


def _find_main_input(inputs: Mapping[str, InputSpec]) -> str | None:
    """Find the input that takes everything the person writes: a required one, a text, the first one.

    Only this one is an argument of the prompt: some hosts split what follows a command at blanks, and fill one
    argument after the other with single words.
    """

    def rank(name: str) -> tuple[bool, bool]:
        return not _is_required(inputs[name]), not _is_text(inputs[name].json_schema)

    return min(inputs, key=rank, default=None)


def _explain_rest(inputs: Mapping[str, InputSpec], arguments: Mapping[str, str]) -> str:
    """Explain where the model finds what the arguments lack: a text's rest, other required inputs."""
    main = _find_main_input(inputs)
    sentences = []
    if main is not None and _is_one_word(inputs[main], arguments.get(main, "")):
        sentences.append(
            f"If I wrote more after the command than this one word, as <command-args> shows, send all of it as {main}."
        )
    others = [name for name in inputs if name not in {main, *arguments}]
    if required := [name for name in others if _is_required(inputs[name])]:
        sentences.append(f"Add {quote_names(required)} from what I wrote, or ask me.")
    if optional := [_name_input(name, inputs[name]) for name in others if not _is_required(inputs[name])]:
        # No schema names them: that of the tool is the same for all workflows.
        sentences.append(f"Where I ask for it, add {', '.join(optional)}.")
    return " ".join([*sentences, ""])


def _name_input(name: str, spec: InputSpec) -> str:
    description = _describe_input(spec).rstrip(".")
    return f'"{name}" ({description})' if description else f'"{name}"'


def _is_one_word(spec: InputSpec, text: str) -> bool:
    return _is_text(spec.json_schema) and len(text.split()) == 1


def _is_required(spec: InputSpec) -> bool:
    return not (spec.optional or spec.has_default)


def _describe_input(spec: InputSpec) -> str:
    schema = spec.json_schema
    text = str(schema.get("description", ""))
    if named := schema.get("enum"):
        return f"{text} One of {quote_names(map(str, named))}.".strip()
    return text or ("" if _is_text(schema) else "As JSON.")


def _check_arguments(name: str, inputs: Mapping[str, InputSpec], arguments: Mapping[str, str]) -> None:
    for given in arguments:
        if given not in inputs:
            guess = find_nearest(given, inputs)
            raise Fault(
                Code.INVALID_INPUT,
                f'"{name}" takes no argument "{given[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
                help=f"It takes {quote_names(inputs)}." if inputs else "It takes none.",
                details={"workflow": name, "argument": given[:80], "choices": sorted(inputs)},
            )
    main = _find_main_input(inputs)
    if main is not None and _is_required(inputs[main]) and not arguments.get(main, "").strip():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{name}" needs "{main}"',
            help="Write it after the command.",
            details={"workflow": name, "missing": [main]},
        )


def _parse_value(spec: InputSpec, text: str) -> Any:
    """Return the text, or its JSON value for an input of another type; the phase validates it."""
    if _is_text(spec.json_schema):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_text(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("type", "string") == "string")


SCHEME = "aurora://"
_MAX_RUNS = 20
_JSON = "application/json"
TEMPLATES: tuple[dict[str, str], ...] = (
    {
        "uriTemplate": "aurora://workflow/{workflow}",
        "name": "workflow",
        "description": "The definition of a workflow, as in its file.",
        "mimeType": "application/yaml",
    },
    {
        "uriTemplate": "aurora://workflow/{workflow}/{phase}",
        "name": "phase",
        "description": "One phase of a workflow: its inputs, tools, prompt and transitions.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "aurora://run/{run}",
        "name": "run",
        "description": "A run, phase by phase, with the rules that fired and those that did not.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "aurora://file/{+path}",
        "name": "file",
        "description": "The text of a file of the project, the first part of a long one, without lines of secrets.",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "aurora://chunk/{chunk}",
        "name": "chunk",
        "description": "The whole text of a chunk, by the id that aurora_search gives.",
        "mimeType": "text/plain",
    },
)
"""The result of `resources/templates/list`."""

_KINDS = ("workflow", "run", "chunk", "file")
_MAX_FILE_CHARS = 200_000
"""Limit in characters for the text of a file; the resource says when it ends before the file does."""


def list_resources(project: Project) -> list[dict[str, Any]]:
    """Return the result of `resources/list`: each workflow, and the newest runs; chunks are too many."""
    return [*_list_workflows(project), *_list_runs(project)]


def read_resource(project: Project, uri: str) -> dict[str, str]:
    """Return the content of one resource.

    Args:
        project: the open project.
        uri: `aurora://workflow/NAME`, `aurora://workflow/NAME/PHASE`, `aurora://run/ID`, `aurora://chunk/ID` or
            `aurora://file/PATH`.

    Returns:
        `uri`, `mimeType` and `text`.

    Raises:
        Fault: NOT_FOUND for an unknown resource, INVALID_INPUT for another kind of URI.
    """
    kind, name, phase = _parse_uri(uri)
    if kind == "workflow":
        mime, text = (
            (_JSON, _describe_phase(project, name, phase)) if phase else ("application/yaml", _read_yaml(project, name))
        )
    elif kind == "run":
        mime, text = _JSON, _to_json(_call_tool(project, "runs.show", {"run": name}))
    elif kind == "file":
        mime, text = "text/plain", _read_file(project, name)
    elif not name.startswith(_CHUNK_KINDS):  # mem.get reads a path too, and this is no URI of a file
        raise Fault(Code.NOT_FOUND, f'there is no chunk "{name[:80]}"', help="Read one that a search returned.")
    else:
        found = _call_tool(project, "mem.get", {"ids": [name], "numbers": False})
        mime, text = "text/plain", "".join(chunk["text"] for chunk in found["chunks"])
        # The URI of the remaining chunk, if this one was merged into it.
        uri = f"{SCHEME}chunk/{quote(found['chunks'][0]['id'], safe=':')}"
    return {"uri": uri, "mimeType": mime, "text": text}


_CHUNK_KINDS = ("code:", "know:", "reas:")


def list_names(project: Project, argument: str, workflow: str) -> list[str]:
    """Return the possible values of `{workflow}`, `{phase}` (of that workflow) or `{run}` in a URI."""
    if argument == "workflow":
        return list(project.workflows.list_names())
    if argument == "run":
        return [run["run"] for run in _fetch_newest_runs(project)]
    with contextlib.suppress(Fault):
        return list(project.workflows.open(workflow).workflow.phases) if argument == "phase" else []
    return []


def _parse_uri(uri: str) -> tuple[str, str, str]:
    """Return the kind, the name, and the name of the phase or an empty text."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    if uri.startswith(SCHEME) and kind == "file" and rest:
        return kind, unquote(rest), ""
    name, _, phase = rest.partition("/")
    is_known = uri.startswith(SCHEME) and kind in _KINDS and name and (kind == "workflow" or not phase)
    if not is_known:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{uri[:200]}" is not the URI of a resource',
            help=f"Use one of {quote_names([template['uriTemplate'] for template in TEMPLATES])}.",
            details={"uri": uri[:200]},
        )
    return kind, unquote(name), unquote(phase)


def _list_workflows(project: Project) -> Iterator[dict[str, Any]]:
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):  # a broken one is reported when it is read
            workflow = project.workflows.open(name).workflow
            yield {
                "uri": f"{SCHEME}workflow/{quote(name)}",
                "name": name,
                "title": workflow.title or name,
                "description": " ".join(workflow.description.split()),
                "mimeType": "application/yaml",
            }


def _list_runs(project: Project) -> Iterator[dict[str, Any]]:
    for run in _fetch_newest_runs(project):
        yield {
            "uri": f"{SCHEME}run/{quote(run['run'])}",
            "name": run["run"],
            "title": f"{run['workflow']}, {run['status']}, {run['updated_at']}",
            "mimeType": _JSON,
        }


def _fetch_newest_runs(project: Project) -> list[dict[str, Any]]:
    """Return the newest runs; none if the database is missing or unreadable.

    This must not create a database.
    """
    if not memory.has_memory(project.root):
        return []
    with contextlib.suppress(Fault):
        runs: list[dict[str, Any]] = _call_tool(project, "runs.list", {"limit": _MAX_RUNS})["runs"]
        return runs
    return []


def _read_yaml(project: Project, name: str) -> str:
    return project.workflows.open(name).path.read_text(encoding="utf-8")


def _read_file(project: Project, path: str) -> str:
    """Read a file page by page with the tool that reads files, and so under its rules, up to a limit."""
    text, offset = "", 0
    while True:
        page = _call_tool(project, "mem.get", {"path": path, "offset": offset, "numbers": False})
        text += "".join(chunk["text"] for chunk in page["chunks"])
        following = page.get("next_offset")
        if following is None:
            return text
        # A page that does not go forward would be read for ever.
        if following <= offset or len(text) >= _MAX_FILE_CHARS:
            return f"{text}\n… [the file goes on: aurora_get with its path and offset {following}]"
        offset = following


def _describe_phase(project: Project, name: str, phase: str) -> str:
    phases = {one["name"]: one for one in _call_tool(project, "workflow.show", {"name": name})["phases"]}
    if phase not in phases:
        guess = find_nearest(phase, phases)
        raise Fault(
            Code.NOT_FOUND,
            f'"{name}" has no phase "{phase[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"Its phases are {quote_names(phases)}.",
            details={"workflow": name, "phase": phase[:80], "choices": list(phases)},
        )
    return _to_json(phases[phase])


def _call_tool(project: Project, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return call_tool(project, tool, arguments, request_id=new_request_id(), surface="mcp")


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
