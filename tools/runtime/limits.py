"""How many calls a process takes at once, and how long one may take."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_CONCURRENT_CALLS = 128
"""Calls at once in one process, those that wait for their turn among them."""

_in_call: ContextVar[bool] = ContextVar("aurora_call", default=False)


class CallLimiter:
    """Counts the calls that are under way.

    A call within a call (a phase that uses a tool) is a part of it, and is not counted again.

    Args:
        most: how many are taken; None for what the environment says at each call.
    """

    def __init__(self, most: int | None = None) -> None:
        self._limit = most
        self._active = 0
        self._lock = threading.Lock()

    @contextmanager
    def admit_call(self) -> Iterator[None]:
        """Take one call in for as long as the block runs.

        Raises:
            Fault: RATE_LIMITED when there is no room.
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
            with self._lock:
                self._active -= 1

    def _acquire_slot(self) -> None:
        most = read_max_calls() if self._limit is None else self._limit
        with self._lock:
            if self._active < most:
                self._active += 1
                return
        raise Fault(
            Code.RATE_LIMITED,
            f"{most} {'calls are' if most > 1 else 'call is'} under way, and no more are taken at once",
            help="Send the same call again when one of them has been answered.",
            details={"limit": most},
        )


def read_max_calls(environ: Mapping[str, str] = os.environ) -> int:
    """What AURORA_CALLS_AT_ONCE says, when it is a number from 1; `MOST` otherwise."""
    said = environ.get("AURORA_CALLS_AT_ONCE", "").strip()
    return max(1, int(said)) if said.isdecimal() and len(said) < 7 else MAX_CONCURRENT_CALLS  # noqa: PLR2004 - longer is no limit


def resolve_timeout(declared: float, environ: Mapping[str, str] = os.environ) -> float:
    """Seconds that a call may take: as its tool says, or less when AURORA_TIMEOUT is a smaller number of seconds."""
    try:
        said = float(environ.get("AURORA_TIMEOUT", ""))
    except ValueError:
        return declared
    return min(declared, said) if said > 0 else declared  # not a number, and whatever is below it, is no limit


CALL_LIMITER = CallLimiter()
"""The one of this process."""
