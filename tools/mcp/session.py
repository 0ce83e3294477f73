"""Session of the MCP server: the SDK's server with Aurora's handlers."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler

from aurora import __version__
from aurora.faults import show_hidden_values
from aurora.tools import commands
from aurora.tools.mcp.stdio import open_stdio

from .calls import ToolCallHandler
from .elicitation import PersonAsker
from .offers import PromptResourceHandler
from .startup import StartRecorder
from .watch import WorkflowWatcher

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.context import ServerRequestContext

    from aurora.startup import ServerStart
    from aurora.tools.core import Project, Tool

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

INSTRUCTIONS = (
    "Aurora guides you through a question about this project, one phase at a time, with a memory of the project's code "
    "and documents.\n"
    "- For a question that needs more than a look-up: call aurora_query with the first phase in its schema and the "
    "user's query. Then send the arguments of next_call unchanged, and add what its needs list: if there is a "
    "prompt_template, reason about it and send the answer. Continue until next_action is 'end'.\n"
    "- To find something: aurora_search; to read it: aurora_get with the ids, or with a path and lines.\n"
    "- An error has a code, a message, help on what would be right, and often a next_call that fixes it."
)


def run_server(project: Project, tools: Iterable[Tool[Any, Any]], start: ServerStart | None = None) -> None:
    """Serve on standard input and output until the input ends or a signal arrives.

    Args:
        project: the open project.
        tools: the tools to offer.
        start: the start of this process, whose session with the host the server continues.

    Raises:
        OSError: standard output cannot be written to any more: the host has closed it, or the disk is full.
    """
    try:
        anyio.run(_serve_session, project, tuple(tools), start)
    except BaseExceptionGroup as group:
        raise _find_write_error(group) or group from None
    finally:
        commands.end_programs()


def _find_write_error(group: BaseExceptionGroup[BaseException]) -> OSError | None:
    """Return the failed write in a group of errors; None if it contains another error."""
    failed, others = group.split((OSError, anyio.BrokenResourceError, anyio.ClosedResourceError))
    waiting: list[BaseException] = [failed] if failed is not None and others is None else []
    while waiting:
        error = waiting.pop()
        if isinstance(error, OSError):
            return error
        waiting += error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return None


async def _serve_session(project: Project, tools: tuple[Tool[Any, Any], ...], start: ServerStart | None) -> None:
    watch = WorkflowWatcher(project, tools)
    listen = ListenHandler(watch.bus)
    server = _build_server(
        watch, ToolCallHandler(project, tools, PersonAsker(project)), PromptResourceHandler(project), listen
    )
    options = server.create_initialization_options(NotificationOptions(tools_changed=True, prompts_changed=True))
    recorder = None if start is None else StartRecorder(project, start, watch.announce_changes)
    async with open_stdio(recorder) as (read, write), anyio.create_task_group() as group:
        group.start_soon(_cancel_on_signal, group.cancel_scope)
        group.start_soon(watch.run)
        await server.run(read, write, options)
        listen.close()
        group.cancel_scope.cancel()


def _build_server(
    watch: WorkflowWatcher, calls: ToolCallHandler, offers: PromptResourceHandler, listen: ListenHandler
) -> Server[Any]:
    async def list_tools(request: Request, _: Paging) -> dict[str, Any]:
        # A workflow may be edited at any time, so a host must not cache the list.
        fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {"tools": show_hidden_values(await watch.list_tools(request.session)), **fresh}

    server: Server[Any] = Server(
        "aurora",
        version=__version__,
        title="Aurora",
        instructions=INSTRUCTIONS,
        on_subscriptions_listen=listen,
    )
    # Handlers return plain JSON: the text of a result must equal its structured content, byte for byte.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, calls)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, offers.list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, offers.get_prompt)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, offers.list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, offers.list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, offers.read_resource)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, offers.complete_argument)
    return server


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
