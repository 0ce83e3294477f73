"""A call that takes too long, or that nobody waits for any more, stops being waited for, and changes nothing more."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, TypeVar

from aurora.faults import Cancelled, CancelScope, Code, Fault

from .threads import start_daemon

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.core import ProgressCallback

ResultT = TypeVar("ResultT")

_GRACE_SECONDS = 1.0
"""Seconds that a work which is given up has to clear away what it had begun, before the caller hears of it."""


def run_with_timeout(
    seconds: float, work: Callable[[ProgressCallback], ResultT], progress: ProgressCallback, what: str
) -> ResultT:
    """Run `work` in a thread of its own and wait at most so many seconds.

    Args:
        seconds: how long to wait.
        work: is handed the `progress` that it must report to; a report after the time limit ends the work.
        progress: who watches.
        what: the tool's name, for the message.

    Raises:
        Fault: TIMEOUT, or whatever the work raises. The thread itself cannot be killed: it is a daemon and ends at its
            next report of progress, at its next commit, or with its work. Nothing is committed once this has returned.
    """
    waiting = CancelScope()
    outcome: list[tuple[ResultT | None, BaseException | None]] = []
    ended = threading.Event()

    def report_progress(done: float, total: float | None, message: str) -> None:
        if waiting.is_cancelled:
            raise Cancelled
        progress(done, total, message)

    def run_work() -> None:
        try:
            with waiting.activate():
                outcome.append((work(report_progress), None))
        except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, which raises it again
            outcome.append((None, error))
        ended.set()

    context = contextvars.copy_context()
    start_daemon(lambda: context.run(run_work), f"tool {what}")
    try:
        in_time = ended.wait(seconds)
    finally:
        changes = waiting.cancel()  # also when the wait itself is interrupted
        ended.wait(_GRACE_SECONDS)
    if not in_time:
        raise _make_timeout_fault(what, seconds, changes)
    result, error = outcome[0]
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # no error means that `work` returned it


def _make_timeout_fault(what: str, seconds: float, changes: int) -> Fault:
    """The fault of a work that was given up, which says what stands of it."""
    said = f'"{what}" took longer than {seconds:g} s and was given up'
    if changes:
        stands = f"{changes} finished change{'s' * (changes > 1)} stand{'s' * (changes == 1)}, and no more will follow"
        remedy = "Look at what stands, and say the same again for the rest, or ask for less in one call."
    else:
        stands, remedy = "nothing was changed", "Ask for less in one call, or try again."
    return Fault(
        Code.TIMEOUT,
        f"{said}; {stands}",
        help=remedy,
        details={"tool": what, "timeout_seconds": seconds, "changes": changes},
    )
