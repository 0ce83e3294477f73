"""One `tools/call`: in a thread of its own, with progress, and given up when the host cancels it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from aurora.faults import Code, Fault
from aurora.faults.cancellation import Abandoned, Waiting
from aurora.tools.runtime.dispatch import invoke, new_request_id
from aurora.tools.runtime.instrumentation import observed
from aurora.tools.runtime.limits import GATE
from aurora.tools.runtime.threads import begin

from .responses import answer, refusal
from .unknown_tool import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import mcp_types as types
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core.declaration import Tool
    from aurora.tools.core.project import Project

    Report = tuple[float, float | None, str]

ResultT = TypeVar("ResultT")

_MOST_AT_ONCE = 64
_BETWEEN_REPORTS = 0.1


class Calls:
    """Answers `tools/call` for the tools that are shown.

    Args:
        project: the open project.
        tools: what is shown; each answers to its MCP name and to its aliases, exactly and by case.
    """

    def __init__(self, project: Project, tools: Iterable[Tool[Any, Any]]) -> None:
        self._project = project
        self._names = {name: tool.name for tool in tools for name in (tool.mcp, *tool.aliases) if name}
        self._room = anyio.CapacityLimiter(_MOST_AT_ONCE)

    async def __call__(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any]:
        """Run the tool and answer in the shape of MCP; every fault is an answer too."""
        watched = bool(context.meta and context.meta.get("progress_token") is not None)
        with contextlib.ExitStack() as taken:
            try:
                with self._logged(params.name):
                    name = self._resolve(params.name)
                    taken.enter_context(GATE.entered())  # also while it waits for room: the queue has an end
            except Fault as fault:
                return refusal(fault)
            async with self._room:
                return await self._watched(context, name, params.arguments or {}, watched=watched)

    @contextlib.contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        """A call that is refused before its tool is reached has its line in the log too."""
        try:
            yield
        except Fault:
            with observed(self._project, new_request_id(), self._names.get(name, name), "mcp"):
                raise

    def _resolve(self, name: str) -> str:
        if name in self._names:
            return self._names[name]
        raise unknown(name, self._names)

    async def _watched(
        self, context: ServerRequestContext[Any, Any], name: str, arguments: dict[str, Any], *, watched: bool
    ) -> dict[str, Any]:
        gone = Waiting()
        send, receive = anyio.create_memory_object_stream[Any](100)
        reporter = _Reporter(gone, asyncio.get_running_loop(), send if watched else None)

        def work() -> dict[str, Any] | Fault:
            try:
                with gone.by():
                    return invoke(
                        self._project,
                        name,
                        arguments,
                        request_id=new_request_id(),
                        progress=reporter,
                        surface="mcp",
                    )
            except Fault as fault:
                return fault  # as a value: a task group would wrap what is raised through it

        try:
            async with receive, anyio.create_task_group() as group:
                group.start_soon(_forward, context, receive)
                async with send:
                    outcome = await in_thread(work, name)
        finally:
            gone.abandon()  # what the host does not wait for any more is not committed either
        return refusal(outcome) if isinstance(outcome, Fault) else answer(outcome)


class _Reporter:
    """What a tool reports to, from its thread; ends the tool when nobody waits for it any more."""

    def __init__(
        self,
        gone: Waiting,
        loop: asyncio.AbstractEventLoop,
        send: MemoryObjectSendStream[Report] | None,
    ) -> None:
        self._gone = gone
        self._loop = loop
        self._send = send
        self._last = -1.0
        self._due = 0.0

    def __call__(self, done: float, total: float | None, message: str) -> None:
        if self._gone.over:
            raise Abandoned
        now = time.monotonic()
        if self._send is None or done <= self._last or (now < self._due and done != total):
            return  # MCP wants progress to grow with each report; a report for each file would only be noise
        self._last, self._due = done, now + _BETWEEN_REPORTS
        self._loop.call_soon_threadsafe(self._post, (done, total, message))

    def _post(self, report: Report) -> None:
        # A host that does not read, or a call that has ended: the report is not worth waiting for.
        with contextlib.suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if self._send is not None:
                self._send.send_nowait(report)


async def _forward(context: ServerRequestContext[Any, Any], receive: MemoryObjectReceiveStream[Report]) -> None:
    async for done, total, message in receive:
        await context.session.report_progress(done, total, message)


async def in_thread(work: Callable[[], ResultT], name: str) -> ResultT:
    """Run `work` in a daemon thread and wait for it; when the wait is cancelled, the thread is left to itself.

    The event loop's own worker threads would keep the process from ending while one of them still works.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[ResultT] = loop.create_future()

    def settle(result: ResultT | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # no error means that `work` returned it

    def body() -> None:
        result: ResultT | None = None
        failure: BaseException | None = None
        try:
            result = work()
        except Abandoned:
            failure = Fault(Code.TIMEOUT, f'"{name}" was given up', help="Nobody waited for it any more.")
        except BaseException as error:  # noqa: BLE001 - carried to the task that waits, which raises it again
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, failure)

    # With the context of the call: the span around it, and that it is counted already.
    around = contextvars.copy_context()
    begin(lambda: around.run(body), f"call {name}")
    return await future
