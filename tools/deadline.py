"""A call that takes too long, or that nobody waits for any more, stops being waited for."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, TypeVar

from ..faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from .context import Progress

ResultT = TypeVar("ResultT")


class Abandoned(BaseException):
    """Raised inside a tool at its next report of progress, once nobody waits for it.

    Not an Exception, so that a tool which survives ordinary failures does not go on by accident.
    """


def within(seconds: float, work: Callable[[Progress], ResultT], progress: Progress, what: str) -> ResultT:
    """Run `work` in a thread of its own and wait at most so many seconds.

    Args:
        seconds: how long to wait.
        work: is handed the `progress` that it must report to; a report after the time limit ends the work.
        progress: who watches.
        what: the tool's name, for the message.

    Raises:
        Fault: TIMEOUT, or whatever the work raises. The thread itself cannot be killed: it is a daemon and ends at its
            next report of progress, or with its work.
    """
    over = threading.Event()
    outcome: list[tuple[ResultT | None, BaseException | None]] = []

    def report(done: float, total: float | None, message: str) -> None:
        if over.is_set():
            raise Abandoned
        progress(done, total, message)

    def body() -> None:
        try:
            outcome.append((work(report), None))
        except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, which raises it again
            outcome.append((None, error))

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(body,), name=f"tool {what}", daemon=True)
    thread.start()
    try:
        thread.join(seconds)
    finally:
        over.set()  # also when the wait itself is interrupted
    if not outcome:
        raise Fault(
            Code.TIMEOUT,
            f'"{what}" took longer than {seconds:g} s',
            help="Ask for less in one call, or try again; what was already written stays.",
            details={"tool": what, "timeout_seconds": seconds},
        )
    result, error = outcome[0]
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # no error means that `work` returned it
