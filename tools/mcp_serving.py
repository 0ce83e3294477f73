"""The SDK's server with our handlers, from the first message to the last."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler

from .. import __version__
from .mcp_calls import Calls
from .mcp_stdio import stdio
from .mcp_watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.context import ServerRequestContext

    from .declaration import Tool
    from .workspace import Workspace

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


def run(workspace: Workspace, tools: Iterable[Tool[Any, Any]]) -> None:
    """Serve on standard input and output until it ends or a signal comes."""
    anyio.run(_serve, workspace, tuple(tools))


async def _serve(workspace: Workspace, tools: tuple[Tool[Any, Any], ...]) -> None:
    watch = Watch(workspace, tools)
    listen = ListenHandler(watch.bus)
    server = _server(watch, Calls(workspace, tools), listen)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio() as (read, write), anyio.create_task_group() as group:
        group.start_soon(_until_signal, group.cancel_scope)
        group.start_soon(watch.run)
        await server.run(read, write, options)
        listen.close()
        group.cancel_scope.cancel()


def _server(watch: Watch, calls: Calls, listen: ListenHandler) -> Server[Any]:
    async def tools(request: Request, _: Paging) -> dict[str, Any]:
        # A workflow may be edited at any moment, so a host shall not keep the list for longer than it must.
        fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {"tools": watch.list(request.session), **fresh}

    # Hosts expect these to answer, if only with nothing.
    async def resources(_request: Request, _: Paging) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def templates(_request: Request, _: Paging) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def prompts(_request: Request, _: Paging) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[])

    server: Server[Any] = Server(
        "aurora",
        version=__version__,
        title="Aurora",
        instructions=INSTRUCTIONS,
        on_list_resources=resources,
        on_list_resource_templates=templates,
        on_list_prompts=prompts,
        on_subscriptions_listen=listen,
    )
    # These two answer in plain JSON: the text of a result must be that of its structured content, byte for byte.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, calls)
    return server


async def _until_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
