"""Handler of `tools/call`: runs each call in its own thread, with progress and cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

import anyio

from aurora.errors import Cancelled, CancelScope, Fault, show_hidden
from aurora.tools.core import resolve_alias
from aurora.tools.runtime import CALL_LIMITER, call_tool, new_request_id, record_call
from aurora.tools.workflows.query import refuse_step

from .access import get_caller, make_unknown_tool_fault
from .responses import build_error_result, build_result, drop_material_note, has_material_note, leave_structure_out
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import mcp_types as types
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project, Tool

    from .elicitation import PersonAsker

    ProgressReport = tuple[float, float | None, str]

_QUERY = "workflow.step"
# Calls that run at once; `CALL_LIMITER` also counts those that wait for a place.
_MAX_CONCURRENT = 64
_REPORT_INTERVAL = 0.1


class ToolCallHandler:
    """Handler of `tools/call` for the offered tools.

    Args:
        project: the open project.
        tools: the offered tools; each has its MCP name and its aliases, case-sensitive.
        asker: asks the person, where a run waits for them.
        has_session: one host is connected, so that the marks of foreign text are explained to it once.
    """

    def __init__(
        self, project: Project, tools: Iterable[Tool[Any, Any]], asker: PersonAsker, *, has_session: bool = False
    ) -> None:
        self._project = project
        self._asker = asker
        self._tools = {name: tool for tool in tools for name in (tool.mcp, *tool.alias_names) if name}
        self._limiter = anyio.CapacityLimiter(_MAX_CONCURRENT)
        self._has_session = has_session
        self._is_explained = False

    async def __call__(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any]:
        """Run the tool and return an MCP result, also for a fault."""
        result = await self._call(context, params)
        if self._is_explained:
            result = drop_material_note(result)
        elif self._has_session:
            self._is_explained = has_material_note(result)
        client = context.session.client_params
        return leave_structure_out(result, client.client_info.name if client is not None else "")

    async def _call(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any]:
        with contextlib.ExitStack() as taken:
            try:
                with self._log_refusals(params.name):
                    tool = self._find_tool(params.name)
                    get_caller(context.request).require(tool, params.arguments or {})
                    taken.enter_context(CALL_LIMITER.admit_call())  # also while it waits: the queue is bounded
            except Fault as fault:
                # Without a look at the run: a server that has no room for a call has none for reading either.
                return self._refuse(params, fault, reads=False)
            try:
                return await self._answer(context, params, tool.name, taken)
            except Fault as fault:
                cause = fault
            return await run_in_thread(lambda: self._refuse(params, cause, reads=True), tool.name)

    async def _answer(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        name: str,
        taken: contextlib.ExitStack,
    ) -> dict[str, Any]:
        """Run the call and return its result; ask the person where its run waits for them."""
        # Waiting calls have been admitted already; this bounds the threads.
        async with self._limiter:
            if name == _QUERY and self._asker.is_reply(context, params):
                return await self._asker.take_reply(context, params)
            called = params.name if resolve_alias(params.name) == name else name  # an alias has its own arguments
            outcome = await self._run_call(context, called, params.arguments or {})
        if isinstance(outcome, Fault):
            raise outcome
        if name != _QUERY:
            return build_result(outcome)
        taken.close()  # a person may take minutes, and other calls go on
        return await self._asker.finish_call(context, outcome)

    def _refuse(self, params: types.CallToolRequestParams, fault: Fault, *, reads: bool) -> dict[str, Any]:
        """Return the result for a fault; that of a step has the fields of each step."""
        tool = self._tools.get(params.name)
        # Each response of the query has the fields of a step, so that a model reads a refusal as it reads any other.
        if tool is None or tool.name != _QUERY:
            return build_error_result(fault)
        return build_result(refuse_step(self._project.engine, params.arguments or {}, fault, reads=reads))

    @contextlib.contextmanager
    def _log_refusals(self, name: str) -> Iterator[None]:
        """Log a call that is refused before its tool runs."""
        try:
            yield
        except Fault:
            called = self._tools[name].name if name in self._tools else name
            with record_call(self._project, new_request_id(), called, "mcp"):
                raise

    def _find_tool(self, name: str) -> Tool[Any, Any]:
        if name in self._tools:
            return self._tools[name]
        raise make_unknown_tool_fault(name, {tool.mcp for tool in self._tools.values() if tool.mcp})

    async def _run_call(
        self, context: ServerRequestContext[Any, Any], name: str, arguments: dict[str, Any]
    ) -> dict[str, Any] | Fault:
        watched = bool(context.meta and context.meta.get("progress_token") is not None)
        gone = CancelScope()
        send, receive = anyio.create_memory_object_stream[Any](100) if watched else (None, None)
        reporter = _ProgressReporter(gone, asyncio.get_running_loop(), send)

        def run_tool() -> dict[str, Any] | Fault:
            try:
                with gone.activate():
                    return call_tool(
                        self._project,
                        name,
                        arguments,
                        request_id=new_request_id(),
                        progress=reporter,
                        surface="mcp",
                    )
            except Fault as fault:
                return fault  # as a value: a task group would wrap the exception

        try:
            if send is None or receive is None:
                outcome = await run_in_thread(run_tool, name)
            else:
                async with receive, anyio.create_task_group() as group:
                    group.start_soon(_forward_progress, context, receive)
                    async with send:
                        outcome = await run_in_thread(run_tool, name)
        finally:
            gone.cancel_nowait()  # a call that the host has cancelled commits nothing
        return outcome


class _ProgressReporter:
    """Callback for progress, called in the tool's thread; it ends the tool after cancellation."""

    def __init__(
        self,
        gone: CancelScope,
        loop: asyncio.AbstractEventLoop,
        send: MemoryObjectSendStream[ProgressReport] | None,
    ) -> None:
        self._cancel_scope = gone
        self._loop = loop
        self._send = send
        self._last_done = -1.0
        self._next_report = 0.0

    def __call__(self, done: float, total: float | None, message: str) -> None:
        if self._cancel_scope.is_cancelled:
            raise Cancelled
        now = time.monotonic()
        if self._send is None or done <= self._last_done or (now < self._next_report and done != total):
            return  # MCP requires that progress grows; the interval limits the number of reports
        self._last_done, self._next_report = done, now + _REPORT_INTERVAL
        self._loop.call_soon_threadsafe(self._send_report, (done, total, message))

    def _send_report(self, report: ProgressReport) -> None:
        # A host that does not read, or a call that has ended: drop the report.
        with contextlib.suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if self._send is not None:
                self._send.send_nowait((*report[:2], show_hidden(report[2])))


async def _forward_progress(
    context: ServerRequestContext[Any, Any], receive: MemoryObjectReceiveStream[ProgressReport]
) -> None:
    async for done, total, message in receive:
        await context.session.report_progress(done, total, message)
