"""MCP resources: workflows and their phases, runs and chunks, each under an address of its own."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from aurora.faults import Code, Fault, find_nearest, quote_names
from aurora.tools.runtime import call_tool, new_request_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.core import Project

SCHEME = "aurora://"
_MAX_RUNS = 20
_JSON = "application/json"
TEMPLATES: tuple[dict[str, str], ...] = (
    {
        "uriTemplate": "aurora://workflow/{workflow}",
        "name": "workflow",
        "description": "A workflow's definition, as it stands in its file.",
        "mimeType": "application/yaml",
    },
    {
        "uriTemplate": "aurora://workflow/{workflow}/{phase}",
        "name": "phase",
        "description": "One phase of a workflow: what it takes, runs and asks, and what may follow.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "aurora://run/{run}",
        "name": "run",
        "description": "A run, phase by phase, with the rules that fired and those that did not.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "aurora://chunk/{chunk}",
        "name": "chunk",
        "description": "The whole text of a chunk, by the id that aurora_search gives.",
        "mimeType": "text/plain",
    },
)
"""What `resources/templates/list` says."""

_KINDS = ("workflow", "run", "chunk")


def list_resources(project: Project) -> list[dict[str, Any]]:
    """What `resources/list` says: each workflow, and the newest runs. Chunks are too many, and are searched for."""
    return [*_list_workflows(project), *_list_runs(project)]


def read_resource(project: Project, uri: str) -> dict[str, str]:
    """The content of one resource.

    Args:
        project: the open project.
        uri: `aurora://workflow/NAME`, `aurora://workflow/NAME/PHASE`, `aurora://run/ID` or `aurora://chunk/ID`.

    Returns:
        `uri`, `mimeType` and `text`.

    Raises:
        Fault: NOT_FOUND for what is not there, INVALID_INPUT for another kind of address.
    """
    kind, name, phase = _parse_uri(uri)
    if kind == "workflow":
        mime, text = (
            (_JSON, _describe_phase(project, name, phase)) if phase else ("application/yaml", _read_yaml(project, name))
        )
    elif kind == "run":
        mime, text = _JSON, _to_json(_call_tool(project, "runs.show", {"run": name}))
    else:
        found = _call_tool(project, "mem.get", {"ids": [name]})
        mime, text = "text/plain", "".join(chunk["text"] for chunk in found["chunks"])
        uri = f"{SCHEME}chunk/{quote(found['chunks'][0]['id'], safe=':')}"  # of what is kept, if it was merged away
    return {"uri": uri, "mimeType": mime, "text": text}


def list_names(project: Project, argument: str, workflow: str) -> list[str]:
    """The names that may stand for `{workflow}`, `{phase}` (of that workflow) or `{run}` in an address."""
    if argument == "workflow":
        return list(project.workflows.list_names())
    if argument == "run":
        return [run["run"] for run in _fetch_newest_runs(project)]
    with contextlib.suppress(Fault):
        return list(project.workflows.open(workflow).workflow.phases) if argument == "phase" else []
    return []


def _parse_uri(uri: str) -> tuple[str, str, str]:
    """The kind, the name, and for a phase its own."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    name, _, phase = rest.partition("/")
    whole = uri.startswith(SCHEME) and kind in _KINDS and name and (kind == "workflow" or not phase)
    if not whole:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{uri[:200]}" is not the address of a resource',
            help=f"They are {quote_names([template['uriTemplate'] for template in TEMPLATES])}.",
            details={"uri": uri[:200]},
        )
    return kind, unquote(name), unquote(phase)


def _list_workflows(project: Project) -> Iterator[dict[str, Any]]:
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):  # a broken one is told to whoever asks for it
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
    """The newest runs; none where there is no memory yet, for a look must not make one, or when it cannot be read."""
    from aurora.memory import database_path  # noqa: PLC0415 - a server that is only started needs no database

    if not database_path(project.root).exists():
        return []
    with contextlib.suppress(Fault):
        runs: list[dict[str, Any]] = _call_tool(project, "runs.list", {"limit": _MAX_RUNS})["runs"]
        return runs
    return []


def _read_yaml(project: Project, name: str) -> str:
    return project.workflows.open(name).path.read_text(encoding="utf-8")


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
