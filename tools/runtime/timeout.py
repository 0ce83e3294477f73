"""Run a tool with a timeout; commit nothing after it expires or the call is cancelled."""

from __future__ import annotations

import contextvars
import threading
import time
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from aurora.faults import Cancelled, CancelScope, Code, Fault

from .threads import start_daemon

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.core import ProgressCallback

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
