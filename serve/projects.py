"""Projects of a server: where each comes from, and those that are open, with their endpoints."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from aurora import memory
from aurora.errors import Code, Fault, quote_names
from aurora.system.environment import read_value
from aurora.tools import runtime
from aurora.tools.http.guard import Refusal, replay_body, send_refusal, send_response
from aurora.tools.mcp.elicitation import StateSigner
from aurora.tools.mcp.protocol_server import build_protocol_server
from aurora.tools.mcp.stdio import RejectedLine, parse_message
from aurora.tools.mcp.threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from anyio.abc import TaskGroup
    from starlette.types import Receive, Scope, Send

    from aurora.memory import ServerAddress
    from aurora.tools.core import Project, Tool
    from aurora.tools.runtime import Workspace

    from .settings import ProjectSettings


class FolderSource:
    """Source of folders of this machine, each with its own database file or project in a server.

    Args:
        projects: the name of each project, with its settings.
        is_local: all clients are programs of this machine.
    """

    def __init__(self, projects: Mapping[str, ProjectSettings], *, is_local: bool) -> None:
        self._projects = dict(projects)
        self._is_local = is_local

    def list_names(self) -> tuple[str, ...]:
        """Return the names of the projects."""
        return tuple(self._projects)

    def open(self, name: str, *, read_only: bool) -> Workspace:
        """Open a served project; the caller closes it. It reads files, and so belongs in a thread.

        Raises:
            Fault: NOT_FOUND for a folder that does not exist, and the faults of opening it.
        """
        settings, server, folder = self._projects[name], self._find_server(name), self._get_folder(name)
        if not folder.is_dir():
            message = f'the folder of the project "{name}" is missing'
            raise Fault(Code.NOT_FOUND, message, help="Tell the operator of the server.")
        is_read_only = read_only or settings.read_only
        return runtime.Workspace(folder, read_only=is_read_only, server=server, index_step=self._find_index_step(name))

    def check(self) -> None:
        """Check that each folder exists, and that the database server answers.

        Raises:
            Fault: NOT_FOUND, which names the projects without their paths; and those of the database server.
        """
        missing = [name for name in self._projects if not self._get_folder(name).is_dir()]
        if missing:
            raise Fault(Code.NOT_FOUND, f"the folders of these projects are missing: {quote_names(missing)}")

        server = next(filter(None, map(self._find_server, self._projects)), None)
        if server is not None:
            memory.check_server(server)

    def _find_index_step(self, name: str) -> str:
        """Return how a client gets the files of a project indexed."""
        if self._projects[name].git:
            return "wait until the server has fetched the project from git and indexed it, or tell its operator"
        return memory.INDEX_STEP if self._is_local else "ask the operator of the server to index the project's folder"

    def _find_server(self, name: str) -> ServerAddress | None:
        """Return the place of a project in the database server; never that of another project."""
        url = read_value("AURORA_DATABASE")
        return memory.make_address(url, self._projects[name].database_project or name) if url else None

    def _get_folder(self, name: str) -> Path:
        return Path(self._projects[name].folder).expanduser()


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
    """Place of an open project: its name, and whether callers only read."""

    name: str
    read_only: bool


class ProjectPool:
    """Pool of open projects, each at most twice: for callers who only read, and for the others.

    Args:
        source: the projects.
        tools: the tools to offer.
        key: signs the states of questions, for each project in another way.
        idle_seconds: how long a project stays open without a request.
    """

    def __init__(
        self, source: FolderSource, tools: tuple[Tool[Any, Any], ...], key: bytes, idle_seconds: float
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
        place = _Place(name, read_only)
        opened = self._open.get(place)
        if opened is None:
            if self._group is None:
                raise RuntimeError("the pool is not running")
            opened = self._open[place] = _OpenProject()
            # In a task of its own: a task group must be left by the task that entered it, and this request ends
            # before the others.
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
        try:
            project = await anyio.to_thread.run_sync(lambda: self._source.open(place.name, read_only=place.read_only))
        except Fault as fault:
            self._forget(place, opened)
            opened.fault = fault
            opened.ready.set()
            return
        try:
            # The state of a question in one project is not valid in another.
            signer = StateSigner(hmac.new(self._key, place.name.encode(), hashlib.sha256).digest())
            endpoint = ProjectEndpoint(project, self._tools, signer)
            async with endpoint.run():
                opened.endpoint = endpoint
                opened.ready.set()
                await opened.stop.wait()
        finally:
            self._forget(place, opened)
            # Also when the pool ends, which cancels this task: a memory writes its last uses when it is closed.
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


_THREAD_BYTES = 64 * 1024
"""Bytes of a message from which it is parsed in a thread, so that other requests are answered meanwhile."""
_VERSION = b"mcp-protocol-version"


class ProjectEndpoint:
    """ASGI application that answers MCP for one project; `set_caller` gives each request its scope.

    No session outlives a request: any process with the same database continues a run.

    Args:
        project: the open project.
        tools: the tools to offer.
        signer: signs the states of questions to a person, with a key that all processes of the server share.
    """

    def __init__(self, project: Project, tools: tuple[Tool[Any, Any], ...], signer: StateSigner) -> None:
        built = build_protocol_server(project, tools, signer=signer, has_session=False)
        # No tool declares a parameter that is sent as a header too, so the SDK need not list the tools at each call.
        built.server.get_tool_input_schema = _know_no_schema
        self._watch = built.watch
        self._listen = built.listen
        self._manager = StreamableHTTPSessionManager(built.server, json_response=True, stateless=True)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Answer requests within this block, and watch the project's files."""
        async with self._manager.run(), anyio.create_task_group() as group:
            group.start_soon(self._watch.run)
            try:
                yield
            finally:
                self.close_streams()
                group.cancel_scope.cancel()

    def close_streams(self) -> None:
        """End the streams of notifications, which would keep a server from stopping."""
        self._listen.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose body the guard has read."""
        if scope["method"] != "POST":
            await send_refusal(send, _REFUSED_METHOD)
            return
        body = (await receive()).get("body", b"")
        parsed = await _parse(body)
        if parsed is None or isinstance(parsed, RejectedLine):
            text = parsed.answer.model_dump_json(by_alias=True, exclude_unset=True) if parsed is not None else _EMPTY
            await send_response(send, 400, text.encode())
            return
        await self._answer(scope, replay_body(body, receive), receive, send)

    async def _answer(self, scope: Scope, body: Receive, receive: Receive, send: Send) -> None:
        """Let the SDK answer; in the stateless era, a client that closes its connection cancels its call."""
        async with anyio.create_task_group() as group:
            if _is_stateless(scope):
                group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
            await self._manager.handle_request(scope, body, send)
            group.cancel_scope.cancel()


_REFUSED_METHOD = Refusal.make(
    405,
    Code.INVALID_INPUT,
    "this address takes POST requests only",
    "Send each message of MCP as one POST; this server has no sessions and opens no stream for GET.",
    {"allow": "POST"},
)
_EMPTY = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is empty"}}'


def _know_no_schema(_name: str) -> None:
    """Return no schema."""


async def _parse(body: bytes) -> Any:
    """Parse a message within the limits of standard input: its depth, its values and its form."""
    if len(body) < _THREAD_BYTES:
        return parse_message(body)
    return await run_in_thread(lambda: parse_message(body), "parse")


def _is_stateless(scope: Scope) -> bool:
    """Return True for a request of the stateless era, by its header."""
    return any(
        name == _VERSION and value.decode("latin-1") in MODERN_PROTOCOL_VERSIONS for name, value in scope["headers"]
    )


async def _cancel_when_gone(receive: Receive, cancelled: anyio.CancelScope) -> None:
    """Cancel when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancelled.cancel()
