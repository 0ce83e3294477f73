"""Threads for the work of a call, next to the event loop."""

from __future__ import annotations

import asyncio
import contextvars
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from aurora.errors import Cancelled, Code, Fault
from aurora.tools.runtime import start_daemon

if TYPE_CHECKING:
    from collections.abc import Callable

ResultT = TypeVar("ResultT")


async def run_in_thread(work: Callable[[], ResultT], name: str) -> ResultT:
    """Run `work` in a daemon thread and wait for it; after cancellation the thread continues unobserved.

    The event loop's own worker threads would keep the process alive while one of them works.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[ResultT] = loop.create_future()

    def settle_future(settle: Callable[[], None]) -> None:
        if not future.cancelled():
            settle()

    def run_work() -> None:
        try:
            settle = partial(future.set_result, work())
        except Cancelled:
            fault = Fault(Code.TIMEOUT, f'"{name}" was cancelled', help="Send the call again if you need its result.")
            settle = partial(future.set_exception, fault)
        except BaseException as error:  # noqa: BLE001 - the waiting task raises it again
            settle = partial(future.set_exception, error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle_future, settle)

    # With the context of the call: its span, and that it is counted already.
    around = contextvars.copy_context()
    start_daemon(lambda: around.run(run_work), f"call {name}")
    return await future
