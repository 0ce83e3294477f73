"""MCP resources: workflows and their phases, runs and chunks, each under an address of its own."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from aurora.faults import Code, Fault
from aurora.faults.suggest import nearest, quoted
from aurora.tools.runtime.dispatch import invoke, new_request_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.runtime.project import Workspace

SCHEME = "aurora://"
_RUNS = 20
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


def resources(workspace: Workspace) -> list[dict[str, Any]]:
    """What `resources/list` says: each workflow, and the newest runs. Chunks are too many, and are searched for."""
    return [*_workflows(workspace), *_runs(workspace)]


def read(workspace: Workspace, uri: str) -> dict[str, str]:
    """The content of one resource.

    Args:
        workspace: the open project.
        uri: `aurora://workflow/NAME`, `aurora://workflow/NAME/PHASE`, `aurora://run/ID` or `aurora://chunk/ID`.

    Returns:
        `uri`, `mimeType` and `text`.

    Raises:
        Fault: NOT_FOUND for what is not there, INVALID_INPUT for another kind of address.
    """
    kind, name, phase = _parts(uri)
    if kind == "workflow":
        mime, text = (_JSON, _phase(workspace, name, phase)) if phase else ("application/yaml", _yaml(workspace, name))
    elif kind == "run":
        mime, text = _JSON, _dumped(_called(workspace, "runs.show", {"run": name}))
    else:
        found = _called(workspace, "mem.get", {"ids": [name]})
        mime, text = "text/plain", "".join(chunk["text"] for chunk in found["chunks"])
        uri = f"{SCHEME}chunk/{quote(found['chunks'][0]['id'], safe=':')}"  # of what is kept, if it was merged away
    return {"uri": uri, "mimeType": mime, "text": text}


def names(workspace: Workspace, argument: str, workflow: str) -> list[str]:
    """The names that may stand for `{workflow}`, `{phase}` (of that workflow) or `{run}` in an address."""
    if argument == "workflow":
        return list(workspace.workflows.names())
    if argument == "run":
        return [run["run"] for run in _newest(workspace)]
    with contextlib.suppress(Fault):
        return list(workspace.workflows.open(workflow).workflow.phases) if argument == "phase" else []
    return []


def _parts(uri: str) -> tuple[str, str, str]:
    """The kind, the name, and for a phase its own."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    name, _, phase = rest.partition("/")
    whole = uri.startswith(SCHEME) and kind in _KINDS and name and (kind == "workflow" or not phase)
    if not whole:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{uri[:200]}" is not the address of a resource',
            help=f"They are {quoted([template['uriTemplate'] for template in TEMPLATES])}.",
            details={"uri": uri[:200]},
        )
    return kind, unquote(name), unquote(phase)


def _workflows(workspace: Workspace) -> Iterator[dict[str, Any]]:
    for name in workspace.workflows.names():
        with contextlib.suppress(Fault):  # a broken one is told to whoever asks for it
            workflow = workspace.workflows.open(name).workflow
            yield {
                "uri": f"{SCHEME}workflow/{quote(name)}",
                "name": name,
                "title": workflow.title or name,
                "description": " ".join(workflow.description.split()),
                "mimeType": "application/yaml",
            }


def _runs(workspace: Workspace) -> Iterator[dict[str, Any]]:
    for run in _newest(workspace):
        yield {
            "uri": f"{SCHEME}run/{quote(run['run'])}",
            "name": run["run"],
            "title": f"{run['workflow']}, {run['status']}, {run['updated_at']}",
            "mimeType": _JSON,
        }


def _newest(workspace: Workspace) -> list[dict[str, Any]]:
    """The newest runs; none where there is no memory yet, for a look must not make one, or when it cannot be read."""
    from aurora.memory import database_path  # noqa: PLC0415 - a server that is only started needs no database

    if not database_path(workspace.root).exists():
        return []
    with contextlib.suppress(Fault):
        runs: list[dict[str, Any]] = _called(workspace, "runs.list", {"limit": _RUNS})["runs"]
        return runs
    return []


def _yaml(workspace: Workspace, name: str) -> str:
    return workspace.workflows.open(name).path.read_text(encoding="utf-8")


def _phase(workspace: Workspace, name: str, phase: str) -> str:
    phases = {one["name"]: one for one in _called(workspace, "workflow.show", {"name": name})["phases"]}
    if phase not in phases:
        guess = nearest(phase, phases)
        raise Fault(
            Code.NOT_FOUND,
            f'"{name}" has no phase "{phase[:80]}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"Its phases are {quoted(phases)}.",
            details={"workflow": name, "phase": phase[:80], "choices": list(phases)},
        )
    return _dumped(phases[phase])


def _called(workspace: Workspace, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return invoke(workspace, tool, arguments, request_id=new_request_id(), surface="mcp")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
