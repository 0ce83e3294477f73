"""Limits for calls: the number of concurrent calls in a process, and the timeout."""

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
"""Limit for concurrent calls in one process, waiting calls included."""

_MAX_DIGITS = 6
"""Digits of AURORA_CALLS_AT_ONCE; a longer number is no limit."""

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
        self._lock = threading.Lock()

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
            f"{most} {'calls are' if most > 1 else 'call is'} running, which is the limit for concurrent calls",
            help="Send the same call again when one of them has finished.",
            details={"limit": most},
        )


def read_max_calls(environ: Mapping[str, str] = os.environ) -> int:
    """Return AURORA_CALLS_AT_ONCE if it is a number from 1; else `MAX_CONCURRENT_CALLS`."""
    text = environ.get("AURORA_CALLS_AT_ONCE", "").strip()
    if not text.isdecimal() or len(text) > _MAX_DIGITS:
        return MAX_CONCURRENT_CALLS
    return max(1, int(text))


def resolve_timeout(declared: float, environ: Mapping[str, str] = os.environ) -> float:
    """Return the timeout of a call in seconds: the declared one, or AURORA_TIMEOUT if that is less."""
    try:
        limit = float(environ.get("AURORA_TIMEOUT", ""))
    except ValueError:
        return declared
    return min(declared, limit) if limit > 0 else declared  # NaN and negative numbers are no limit


CALL_LIMITER = CallLimiter()
"""Limiter of this process."""
