"""The SDK's server with our handlers, from the first message to the last."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler

from aurora import __version__
from aurora.tools.mcp.stdio.transport import stdio

from .calls import Calls
from .offers import Offers
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.context import ServerRequestContext

    from aurora.tools.core.declaration import Tool
    from aurora.tools.core.project import Project

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

INSTRUCTIONS = (
    "Aurora lets you think through a question about this project in the open, one phase at a time, with a memory of "
    "the project's code and documents.\n"
    "- For a question that needs more than a look-up: call aurora_query with the first phase that its schema lists and "
    "the person's query. Then send what next_call says, as it stands, and add what its needs list: where there is a "
    "prompt_template, reason about it and bring the answer. Go on until next_action is 'end'.\n"
    "- To find something: aurora_search; to read it: aurora_get with the ids, or with a path and lines.\n"
    "- An error tells its code, what would be right, and often a next_call that mends it."
)


def run(project: Project, tools: Iterable[Tool[Any, Any]]) -> None:
    """Serve on standard input and output until it ends or a signal comes."""
    anyio.run(_serve, project, tuple(tools))


async def _serve(project: Project, tools: tuple[Tool[Any, Any], ...]) -> None:
    watch = Watch(project, tools)
    listen = ListenHandler(watch.bus)
    server = _server(watch, Calls(project, tools), Offers(project), listen)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True, prompts_changed=True))
    async with stdio() as (read, write), anyio.create_task_group() as group:
        group.start_soon(_until_signal, group.cancel_scope)
        group.start_soon(watch.run)
        await server.run(read, write, options)
        listen.close()
        group.cancel_scope.cancel()


def _server(watch: Watch, calls: Calls, offers: Offers, listen: ListenHandler) -> Server[Any]:
    async def tools(request: Request, _: Paging) -> dict[str, Any]:
        # A workflow may be edited at any moment, so a host shall not keep the list for longer than it must.
        fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {"tools": watch.list(request.session), **fresh}

    server: Server[Any] = Server(
        "aurora",
        version=__version__,
        title="Aurora",
        instructions=INSTRUCTIONS,
        on_subscriptions_listen=listen,
    )
    # All answer in plain JSON: the text of a tool's result must be that of its structured content, byte for byte.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, calls)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, offers.prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, offers.prompt)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, offers.resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, offers.templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, offers.read)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, offers.complete)
    return server


async def _until_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
