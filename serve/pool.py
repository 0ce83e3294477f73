"""Pool of open projects: each is opened at its first request, and closed when it is idle."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import anyio.to_thread

from aurora.faults import Fault
from aurora.tools.mcp.elicitation import StateSigner
from aurora.tools.mcp.endpoint import ProjectEndpoint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import TaskGroup

    from aurora.tools.core import Tool
    from aurora.tools.runtime import Workspace

    from .sources import ProjectSource

_SWEEP_SECONDS = 5.0


@dataclass(eq=False)
class _OpenProject:
    """Project that is open, or being opened.

    Attributes:
        ready: set when it is open, or has failed to.
        stop: set to close it.
        endpoint: its application; None before it is open.
        fault: why it could not be opened.
        users: requests that use it now.
        used: when one last did.
    """

    ready: anyio.Event = field(default_factory=anyio.Event)
    stop: anyio.Event = field(default_factory=anyio.Event)
    endpoint: ProjectEndpoint | None = None
    fault: Fault | None = None
    users: int = 0
    used: float = 0.0


class _Place(NamedTuple):
    """Place of an open project: its name, its folder, and whether callers only read."""

    name: str
    folder: Path
    read_only: bool


class ProjectPool:
    """Pool of open projects, each folder at most twice: for callers who only read, and for the others.

    Args:
        source: the projects.
        tools: the tools to offer.
        key: signs the states of questions, for each project in another way.
        idle_seconds: how long a project stays open without a request.
    """

    def __init__(
        self, source: ProjectSource, tools: tuple[Tool[Any, Any], ...], key: bytes, idle_seconds: float
    ) -> None:
        self._source = source
        self._tools = tools
        self._key = key
        self._idle_seconds = idle_seconds
        self._open: dict[_Place, _OpenProject] = {}
        self._group: TaskGroup | None = None

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Open projects within this block, and close all of them at its end."""
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._close_idle)
            try:
                yield
            finally:
                self._group = None
                group.cancel_scope.cancel()

    @contextlib.asynccontextmanager
    async def borrow(self, name: str, *, read_only: bool) -> AsyncIterator[ProjectEndpoint]:
        """Return the application of a project, which stays open within this block.

        Args:
            name: of the project.
            read_only: no tool that writes may run.

        Raises:
            Fault: the project cannot be opened.
        """
        place = _Place(name, self._source.find_folder(name), read_only)
        opened = self._open.get(place)
        if opened is None:
            if self._group is None:
                raise RuntimeError("the pool is not running")
            opened = self._open[place] = _OpenProject()
            self._group.start_soon(self._keep_open, place, opened)
        opened.users += 1
        try:
            await opened.ready.wait()
            if opened.endpoint is None:
                raise opened.fault or RuntimeError("the project was closed")
            yield opened.endpoint
        finally:
            opened.users -= 1
            opened.used = time.monotonic()

    def close_streams(self) -> None:
        """End the streams of notifications of all projects, so that the server can stop."""
        for opened in self._open.values():
            if opened.endpoint is not None:
                opened.endpoint.close_streams()

    async def _keep_open(self, place: _Place, opened: _OpenProject) -> None:
        """Open a project, and close it when it shall stop or the pool ends."""
        name, folder, read_only = place
        try:
            project = await anyio.to_thread.run_sync(lambda: self._source.open(name, folder, read_only=read_only))
        except Fault as fault:
            self._forget(place, opened)
            opened.fault = fault
            opened.ready.set()
            return
        try:
            signer = StateSigner(hmac.new(self._key, name.encode(), hashlib.sha256).digest())
            endpoint = ProjectEndpoint(project, self._tools, signer)
            async with endpoint.run():
                opened.endpoint = endpoint
                opened.ready.set()
                await opened.stop.wait()
        finally:
            self._forget(place, opened)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_close_quietly, project)

    def _forget(self, place: _Place, opened: _OpenProject) -> None:
        if self._open.get(place) is opened:
            del self._open[place]

    async def _close_idle(self) -> None:
        """Close what no request has used for long."""
        while True:
            await anyio.sleep(min(_SWEEP_SECONDS, self._idle_seconds))
            now = time.monotonic()
            for place, opened in list(self._open.items()):
                if opened.endpoint is not None and not opened.users and now - opened.used > self._idle_seconds:
                    self._forget(place, opened)
                    opened.stop.set()


def _close_quietly(project: Workspace) -> None:
    with contextlib.suppress(Exception):
        project.close()
