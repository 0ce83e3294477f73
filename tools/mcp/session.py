"""Session of the MCP server over standard input and output."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.lowlevel import NotificationOptions

from aurora.tools import commands
from aurora.tools.mcp.stdio import open_stdio

from .protocol_server import build_protocol_server
from .startup import StartRecorder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.startup import ServerStart
    from aurora.tools.core import Project, Tool


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
    server, watch, listen = build_protocol_server(project, tools)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True, prompts_changed=True))
    recorder = None if start is None else StartRecorder(project, start, watch.announce_changes)
    async with open_stdio(recorder) as (read, write), anyio.create_task_group() as group:
        group.start_soon(_cancel_on_signal, group.cancel_scope)
        group.start_soon(watch.run)
        await server.run(read, write, options)
        listen.close()
        group.cancel_scope.cancel()


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
