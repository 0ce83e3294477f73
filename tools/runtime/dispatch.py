"""Dispatch of tool calls: find, validate, authorize, limit and run each in time."""

from __future__ import annotations

import contextvars
import math
import os
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import BaseModel

from aurora.errors import Cancelled, CancelScope, Code, Fault
from aurora.system.environment import read_number
from aurora.tools import extensions
from aurora.tools.core import (
    NO_PHASE,
    Context,
    PhaseOrigin,
    ProgressCallback,
    ToolRegistry,
    adapt_arguments,
    ignore_progress,
    resolve_alias,
    validate_arguments,
)

from .call_log import log_alias, log_failure
from .telemetry import record_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from aurora.tools.core import Alias, Project, Surface, Tool


@cache
def get_registry() -> ToolRegistry:
    """Return the registry of the shipped tools, one for the process."""
    return ToolRegistry()


def find_tool(name: str, root: Path) -> Tool[Any, Any]:
    """Return the tool with this name or alias: one of Aurora's, or one of an installed distribution.

    Args:
        name: its name, case-sensitive.
        root: the project's folder, from which no distribution's code is loaded.

    Raises:
        Fault: NOT_FOUND, with the nearest name; UPSTREAM_ERROR for a distribution's tool that cannot be used.
    """
    registry = get_registry()
    found = None if registry.is_known(name) else extensions.find_extension(name, root)
    return registry.find(name) if found is None else found


def new_request_id() -> str:
    """Return a short random id for one call."""
    return os.urandom(6).hex()  # as `secrets.token_hex`, which imports three more modules


def call_tool(  # noqa: PLR0913 - the surfaces pass what they need by keyword
    project: Project,
    name: str,
    arguments: Mapping[str, Any],
    *,
    params: Mapping[str, Any] | BaseModel | None = None,
    request_id: str | None = None,
    progress: ProgressCallback = ignore_progress,
    tools: ToolRegistry | None = None,
    surface: Surface = "python",
    phase: PhaseOrigin = NO_PHASE,
) -> dict[str, Any]:
    """Call a tool by name or alias, and log the call.

    Args:
        project: the open project.
        name: the tool's name or alias, case-sensitive.
        arguments: JSON values, checked against the tool's input.
        params: the params that a phase gives, checked against the tool's model; an instance of the model is used
            without a check.
        request_id: the id of the call; None for a new one.
        progress: the callback for reports of progress.
        tools: a registry other than the shipped one.
        surface: the origin of the call, for the log.
        phase: the workflow and the run of a phase's call.

    Returns:
        The tool's output as JSON values.

    Raises:
        Fault: NOT_FOUND for an unknown tool, INVALID_INPUT for wrong arguments or params, FORBIDDEN for a tool that
            writes in a read-only project, TIMEOUT past the tool's limit, RATE_LIMITED when too many calls are
            running, NOT_FOUND or CONFLICT when the project's folder was moved or replaced, INTERNAL_ERROR for a bug in
            Aurora, and any fault that the tool itself raises.
    """
    request = request_id or new_request_id()
    context = Context(project, params or {}, request, progress, surface, phase)
    # The record around the limit: a call that is refused for want of a place is in the log, too.
    with record_call(project, request, resolve_alias(name), surface) as outcome, CALL_LIMITER.admit_call():
        output = _find_and_run_tool(name, arguments, context, tools)
        outcome.set_from_output(output)
        return output


def _find_and_run_tool(
    name: str, arguments: Mapping[str, Any], context: Context, tools: ToolRegistry | None
) -> dict[str, Any]:
    """Find and run a tool; report any error but a fault as a bug."""
    try:
        context.project.require_folder()
        tool = find_tool(name, context.project.root) if tools is None else tools.find(name)
        alias = tool.find_alias(name)
        if alias is None:
            return _run_tool(tool, arguments, context)
        log_alias(alias.name, tool.name, context.request_id)
        return _run_alias(tool, alias, arguments, context)
    except Fault:
        raise
    except Exception as error:
        log_failure(name, error)
        raise _make_internal_fault(name, context.request_id, error, tools) from error


def _run_alias(tool: Tool[Any, Any], alias: Alias, arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Run a tool that was called by an alias; a fault in its arguments explains their names."""
    translated = alias.translate_arguments(arguments)
    try:
        return _run_tool(tool, translated, context)
    except Fault as fault:
        if fault.code is not Code.INVALID_INPUT or not alias.arguments:
            raise
        names = ", ".join(f'"{name}" for "{own}"' for name, own in alias.arguments.items())
        help_ = f"{fault.help} As {alias.name} it also takes {names}.".strip()
        raise Fault(fault.code, fault.message, help=help_, details=fault.details) from None


def _run_tool(tool: Tool[Any, Any], arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Validate the arguments and the params of `context`, and run the tool with a timeout."""
    if context.project.read_only and not tool.is_allowed_read_only(arguments):
        raise Fault(
            Code.FORBIDDEN,
            f'"{tool.name}" would write, and this project is open read-only',
            help="Start without --read-only (or unset READ_ONLY) to allow it.",
            details={"tool": tool.name, "risk": tool.risk},
        )
    called = tool.mcp if context.surface == "mcp" and tool.mcp else tool.name
    # Only what models send is adapted; a person and a program are told what is wrong.
    if context.surface == "mcp":
        arguments = adapt_arguments(tool.input, arguments, called)
    given = validate_arguments(tool.input, arguments, called)
    params = context.params
    if not isinstance(params, tool.params):
        params = validate_params(tool, params)

    def run_tool(report: ProgressCallback) -> dict[str, Any]:
        output = tool.run(given, context._replace(params=params, progress=report))
        dumped: dict[str, Any] = output.model_dump(mode="json", by_alias=True)
        return dumped

    return run_with_timeout(resolve_timeout(tool.timeout), run_tool, context.progress, tool.name)


def validate_params(tool: Tool[Any, Any], params: Mapping[str, Any] | BaseModel) -> BaseModel:
    """Return the validated params of a tool.

    Raises:
        Fault: INVALID_INPUT, with the path of each mistake.
    """
    given = params.model_dump(by_alias=True) if isinstance(params, BaseModel) else params
    made: BaseModel = validate_arguments(tool.params, given, f'the params of "{tool.name}"')
    return made


def _make_internal_fault(name: str, request: str, error: Exception, tools: ToolRegistry | None) -> Fault:
    if tools is None and not get_registry().is_known(name):
        message = f'"{name[:80]}" failed inside the distribution that has it ({type(error).__name__})'
        return Fault(Code.UPSTREAM_ERROR, message, help="Set AURORA_LOG=debug to log the traceback, and report it.")
    return Fault(
        Code.INTERNAL_ERROR,
        f'"{name[:80]}" failed inside Aurora ({type(error).__name__})',
        help="This is a bug in Aurora. Set AURORA_LOG=debug to log the traceback, and report it.",
        details={"request_id": request},
    )


ResultT = TypeVar("ResultT")


_is_watched: ContextVar[bool] = ContextVar("aurora_is_watched", default=False)
"""True in a thread that another one waits for, with a timeout."""

_GRACE_SECONDS = 1.0
"""Seconds that cancelled work has to clean up before the caller is informed."""

_INTERRUPT_SECONDS = 0.2
"""The same after Ctrl-C: the process ends anyway, and the database is as after the last commit."""


def run_with_timeout(
    seconds: float, work: Callable[[ProgressCallback], ResultT], progress: ProgressCallback, what: str
) -> ResultT:
    """Run `work` with a timeout, in its own thread.

    Within other such work, as a phase's tool does, it runs in the thread of that work.

    Args:
        seconds: the timeout.
        work: receives a callback for progress, which ends the work after the timeout.
        progress: the callback that receives the reports.
        what: the tool's name for the message.

    Raises:
        Fault: TIMEOUT, or the exception of the work. The thread cannot be killed: it is a daemon and ends at its
            next report of progress, at its next commit, or with its work. It commits nothing after this returns.
    """
    if _is_watched.get():
        return _run_within(seconds, work, progress, what)
    scope = CancelScope()
    outcome = _Outcome[ResultT]()
    context = contextvars.copy_context()
    run = partial(outcome.run, work, scope, _guard_progress(scope, progress))
    start_daemon(lambda: context.run(run), f"tool {what}")
    try:
        in_time = _wait_for_end(outcome.ended, scope, seconds)
    except KeyboardInterrupt:  # the process ends, and what was not committed is rolled back
        scope.cancel()
        outcome.ended.wait(_INTERRUPT_SECONDS)
        raise
    # Also in time: a thread that goes on for whatever reason commits nothing after the answer.
    changes = scope.cancel()
    outcome.ended.wait(_GRACE_SECONDS)
    if not in_time:
        raise _make_timeout_fault(what, seconds, changes)
    return outcome.get()


class _Outcome(Generic[ResultT]):
    """Outcome of work in another thread: its result, or its exception."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._results: list[ResultT] = []
        self._errors: list[BaseException] = []

    def run(self, work: Callable[[ProgressCallback], ResultT], scope: CancelScope, progress: ProgressCallback) -> None:
        """Run the work in this thread, and keep its outcome."""
        _is_watched.set(True)
        try:
            with scope.activate():
                self._results.append(work(progress))
        except BaseException as error:  # noqa: BLE001 - the waiting thread raises it again
            self._errors.append(error)
        self.ended.set()

    def get(self) -> ResultT:
        """Return the result, or raise the exception of the work, which has ended."""
        if self._errors:
            raise self._errors[0]
        return self._results[0]


def _wait_for_end(ended: threading.Event, scope: CancelScope, seconds: float) -> bool:
    """Return whether work ended in its time, and in that which work within it has added."""
    start = time.monotonic()
    while not ended.wait(max(0.0, start + seconds + scope.extra_seconds - time.monotonic())):
        if time.monotonic() >= start + seconds + scope.extra_seconds:
            return False
    return True


def _run_within(
    seconds: float, work: Callable[[ProgressCallback], ResultT], progress: ProgressCallback, what: str
) -> ResultT:
    """Run `work` in the thread of the work around it, whose timeout ends what does not look at its own.

    Two changes of threads take as long as the tool of many a phase.
    """
    scope = CancelScope(seconds=seconds)
    result: ResultT | None = None
    try:
        with scope.activate():
            result = work(_guard_progress(scope, progress))
    except Cancelled:
        if not scope.is_late:
            raise  # the work around it is cancelled
    if scope.is_late:
        raise _make_timeout_fault(what, seconds, scope.changes)
    return cast("ResultT", result)


def _guard_progress(scope: CancelScope, progress: ProgressCallback) -> ProgressCallback:
    """Return a callback that ends the work once its scope is cancelled."""

    def report_progress(done: float, total: float | None, message: str) -> None:
        if scope.is_cancelled:
            raise Cancelled
        progress(done, total, message)

    return report_progress


def _make_timeout_fault(what: str, seconds: float, changes: int) -> Fault:
    """Return the fault of cancelled work, with the number of changes that remain."""
    said = f'"{what}" took longer than {seconds:g} s and was cancelled'
    if changes:
        stands = f"{changes} finished change{'s' * (changes > 1)} remain{'s' * (changes == 1)}, and no more will follow"
        remedy = "Look at what remains, then repeat the call for the rest, or request less in one call."
    else:
        stands, remedy = "nothing was changed", "Request less in one call, or try again."
    return Fault(
        Code.TIMEOUT,
        f"{said}; {stands}",
        help=remedy,
        details={"tool": what, "timeout_seconds": seconds, "changes": changes},
    )


MAX_CONCURRENT_CALLS = 128
"""Limit for concurrent calls in one process, waiting calls included."""

_in_call: ContextVar[bool] = ContextVar("aurora_call", default=False)


class CallLimiter:
    """Limiter of concurrent calls.

    A call within a call (a phase that uses a tool) is not counted again.

    Args:
        most: the limit; None to read it from the environment at each call.
    """

    def __init__(self, most: int | None = None) -> None:
        self._limit = most
        self._active = 0
        self._changed = threading.Condition()
        self._last_end = -math.inf

    @contextmanager
    def admit_call(self) -> Iterator[None]:
        """Count one call while the block runs.

        Raises:
            Fault: RATE_LIMITED at the limit.
        """
        if _in_call.get():
            yield
            return
        self._acquire_slot()
        token = _in_call.set(True)
        try:
            yield
        finally:
            _in_call.reset(token)
            with self._changed:
                self._active -= 1
                self._last_end = time.monotonic()
                self._changed.notify_all()

    def wait_until_quiet(self, quiet: float, most: float) -> None:
        """Wait until no call has run for `quiet` seconds, but at most `most` seconds."""
        give_up = time.monotonic() + most
        with self._changed:
            while (now := time.monotonic()) < give_up:
                left = math.inf if self._active else self._last_end + quiet - now
                if left <= 0:
                    return
                self._changed.wait(min(left, give_up - now))

    def _acquire_slot(self) -> None:
        most = read_max_calls() if self._limit is None else self._limit
        with self._changed:
            if self._active < most:
                self._active += 1
                return
        raise Fault(
            Code.RATE_LIMITED,
            f"{most} {'calls are' if most > 1 else 'call is'} running, which is the limit for concurrent calls",
            help="Send the same call again when one of them has finished.",
            details={"limit": most},
        )


def read_max_calls(environ: Mapping[str, str] = os.environ) -> int:
    """Return AURORA_CALLS_AT_ONCE if it is set; else `MAX_CONCURRENT_CALLS`.

    Raises:
        Fault: INVALID_INPUT if it is not a whole number from 1.
    """
    return int(read_number("AURORA_CALLS_AT_ONCE", environ) or MAX_CONCURRENT_CALLS)


def resolve_timeout(declared: float, environ: Mapping[str, str] = os.environ) -> float:
    """Return the timeout of a call in seconds: the declared one, or AURORA_TIMEOUT if that is less.

    Raises:
        Fault: INVALID_INPUT if AURORA_TIMEOUT is not a number above 0.
    """
    return min(declared, read_number("AURORA_TIMEOUT", environ) or declared)


CALL_LIMITER = CallLimiter()
"""Limiter of this process."""


MAX_IDLE = 4
"""Limit for idle threads."""
IDLE_NAME = "idle"
"""Name of an idle thread."""


class _WorkerThread:
    """Thread with a queue of work."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[tuple[Callable[[], None], str]] = SimpleQueue()
        threading.Thread(target=self._run_tasks, name=IDLE_NAME, daemon=True).start()

    def _run_tasks(self) -> None:
        this = threading.current_thread()
        while True:
            work, this.name = self.tasks.get()
            work()
            del work  # and every object that it refers to
            this.name = IDLE_NAME
            if len(_idle_workers) >= MAX_IDLE:
                return
            _idle_workers.append(self)


_idle_workers: list[_WorkerThread] = []
if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_idle_workers.clear)  # a forked process has none of its parent's threads


def start_daemon(work: Callable[[], None], name: str) -> None:
    """Run `work` in a daemon thread with this name; an exception ends the thread."""
    try:
        # The thread of an earlier call, where memory is warm; a new one costs more.
        worker = _idle_workers.pop()
    except IndexError:
        worker = _WorkerThread()
    worker.tasks.put((work, name))
