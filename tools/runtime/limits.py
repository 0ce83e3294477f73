"""Limits for calls: the number of concurrent calls in a process, and the timeout."""

from __future__ import annotations

import math
import os
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, read_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
