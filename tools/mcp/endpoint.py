"""Endpoint of MCP over HTTP: one POST, one JSON response, in both eras of the protocol."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from aurora.faults import Code
from aurora.tools import http

from .protocol_server import build_protocol_server
from .stdio import RejectedLine, parse_message
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from aurora.tools.core import Project, Tool

    from .elicitation import StateSigner

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
            await http.send_refusal(send, _REFUSED_METHOD)
            return
        body = (await receive()).get("body", b"")
        parsed = await _parse(body)
        if parsed is None or isinstance(parsed, RejectedLine):
            text = parsed.answer.model_dump_json(by_alias=True, exclude_unset=True) if parsed is not None else _EMPTY
            await http.send_response(send, 400, text.encode())
            return
        await self._answer(scope, http.replay_body(body, receive), receive, send)

    async def _answer(self, scope: Scope, body: Receive, receive: Receive, send: Send) -> None:
        """Let the SDK answer; in the stateless era, a client that closes its connection cancels its call."""
        async with anyio.create_task_group() as group:
            if _is_stateless(scope):
                group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
            await self._manager.handle_request(scope, body, send)
            group.cancel_scope.cancel()


_REFUSED_METHOD = http.Refusal.make(
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
