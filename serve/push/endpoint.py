"""Endpoint of pushes: the three steps begin, contents and finish, each of which may be repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from aurora.faults import Code, Fault
from aurora.tools.http import Refusal

from .manifest import MAX_FILE_BYTES, unpack_manifest
from .packing import unpack
from .project import PushedProject
from .publisher import Publisher, make_write_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.serve.indexer import Indexer
    from aurora.serve.settings import ProjectSettings

_STATUS = {Code.INVALID_INPUT: 400, Code.FORBIDDEN: 403, Code.NOT_FOUND: 404, Code.CONFLICT: 409}
_MAX_CONTENTS = 10_000
_MAX_RUNNING = 4
"""Requests of one process that are answered at a time; a manifest may take 100 MB."""


class PushEndpoint:
    """Endpoint of the pushed projects of a server.

    Args:
        projects: the placed settings of all projects.
        indexer: indexes them.
    """

    def __init__(self, projects: Mapping[str, ProjectSettings], indexer: Indexer) -> None:
        self._projects = map_projects(projects)
        self._indexer = indexer
        self._publisher = Publisher(indexer.index)
        self._limiter = anyio.CapacityLimiter(_MAX_RUNNING)

    def stop(self) -> None:
        """End the indexing of pushes; the next start goes on with it."""
        self._indexer.stop()

    async def answer(self, name: str, person: str, step: str, body: bytes) -> bytes | Refusal:
        """Answer a step of a person who may write to the project.

        Args:
            name: of the project.
            person: the identity of the caller.
            step: `begin`, `contents` or `finish`.
            body: of the request.
        """
        project = self._projects.get(name)
        if project is None:
            message = f'the project "{name}" takes no pushes'
            return Refusal.make(404, Code.NOT_FOUND, message, "The operator sets push = true for it.")
        take = self._finish if step == "finish" else self._begin if step == "begin" else self._take_contents
        try:
            return await anyio.to_thread.run_sync(
                lambda: _run_step(take, name, project, person, body), limiter=self._limiter, abandon_on_cancel=False
            )
        except Fault as fault:
            return Refusal(_STATUS.get(fault.code, 503), fault)

    def _begin(self, _name: str, project: PushedProject, person: str, given: Mapping[str, Any]) -> dict[str, Any]:
        manifest = unpack_manifest(given.get("manifest"))
        return {"push": manifest.id, "missing": project.begin(person, manifest)}

    def _take_contents(
        self, _name: str, project: PushedProject, person: str, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        contents = given.get("contents")
        if not isinstance(contents, dict) or len(contents) > _MAX_CONTENTS:
            raise Fault(Code.INVALID_INPUT, f"a request has at most {_MAX_CONTENTS:,} contents, by hash")
        unpacked = {sha256: unpack(text, MAX_FILE_BYTES) for sha256, text in contents.items()}
        project.add_contents(person, _read_identifier(given), unpacked)
        return {"stored": len(unpacked)}

    def _finish(self, name: str, project: PushedProject, person: str, given: Mapping[str, Any]) -> dict[str, Any]:
        done = self._publisher.finish(name, project, person, _read_identifier(given))
        return {"state": "running"} if done is None else {"state": "done", **done}


def map_projects(projects: Mapping[str, ProjectSettings]) -> dict[str, PushedProject]:
    """Return the pushed projects by name."""
    return {name: PushedProject(Path(one.folder).parent, one.branch) for name, one in projects.items() if one.push}


def _run_step(
    take: Callable[[str, PushedProject, str, Mapping[str, Any]], dict[str, Any]],
    name: str,
    project: PushedProject,
    person: str,
    body: bytes,
) -> bytes:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Fault(Code.INVALID_INPUT, "the body of the request is no JSON object")
    try:
        return json.dumps(take(name, project, person, given)).encode()
    except OSError as error:
        raise make_write_fault(error) from error


def _read_identifier(given: Mapping[str, Any]) -> str:
    found = given.get("push")
    return found if isinstance(found, str) else ""
