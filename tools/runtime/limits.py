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

MOST = 128
"""Calls at once in one process, those that wait for their turn among them."""

_inside: ContextVar[bool] = ContextVar("aurora_call", default=False)


class Gate:
    """Counts the calls that are under way.

    A call within a call (a phase that uses a tool) is a part of it, and is not counted again.

    Args:
        most: how many are taken; None for what the environment says at each call.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._taken = 0
        self._lock = threading.Lock()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Take one call in for as long as the block runs.

        Raises:
            Fault: RATE_LIMITED when there is no room.
        """
        if _inside.get():
            yield
            return
        self._take()
        token = _inside.set(True)
        try:
            yield
        finally:
            _inside.reset(token)
            with self._lock:
                self._taken -= 1

    def _take(self) -> None:
        most = most_at_once() if self._most is None else self._most
        with self._lock:
            if self._taken < most:
                self._taken += 1
                return
        raise Fault(
            Code.RATE_LIMITED,
            f"{most} {'calls are' if most > 1 else 'call is'} under way, and no more are taken at once",
            help="Send the same call again when one of them has been answered.",
            details={"limit": most},
        )


def most_at_once(environ: Mapping[str, str] = os.environ) -> int:
    """What AURORA_CALLS_AT_ONCE says, when it is a number from 1; `MOST` otherwise."""
    said = environ.get("AURORA_CALLS_AT_ONCE", "").strip()
    return max(1, int(said)) if said.isdecimal() and len(said) < 7 else MOST  # noqa: PLR2004 - longer is no limit


def longest(declared: float, environ: Mapping[str, str] = os.environ) -> float:
    """Seconds that a call may take: as its tool says, or less when AURORA_TIMEOUT is a smaller number of seconds."""
    try:
        said = float(environ.get("AURORA_TIMEOUT", ""))
    except ValueError:
        return declared
    return min(declared, said) if said > 0 else declared  # not a number, and whatever is below it, is no limit


GATE = Gate()
"""The one of this process."""
