"""Meter of the work of many evaluations and validations, so that a search ends on any workflow."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class WorkLimitError(BaseException):
    """Raised by work beyond the limit around it.

    Not an Exception, so that no step of a run takes it for its own failure.
    """


class WorkMeter:
    """Counter of work up to a limit, which counts for the meter around it, too.

    One unit is a step of an evaluation, some 0.3 µs. Units are counted from sizes, never from the clock.

    Args:
        limit: the units.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._outer: WorkMeter | None = None

    @property
    def is_used_up(self) -> bool:
        """True when this limit, or one around it, is reached."""
        return self._left <= 0 or (self._outer is not None and self._outer.is_used_up)

    def charge(self, units: int) -> None:
        """Count units.

        Raises:
            WorkLimitError: there are too many.
        """
        self._left -= units
        if self._outer is not None:
            self._outer.charge(units)
        if self._left <= 0:
            raise WorkLimitError

    def grant(self, units: int) -> None:
        """Allow more units from now on."""
        self._left = max(self._left, 0) + units

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Count the work of the block; what is beyond the limit raises `WorkLimitError`."""
        self._outer = _current_meter.get()
        token = _current_meter.set(self)
        try:
            yield
        finally:
            _current_meter.reset(token)


_current_meter: ContextVar[WorkMeter | None] = ContextVar("aurora_work_meter", default=None)


def charge_work(units: int) -> None:
    """Count units of work, where a meter is active.

    Raises:
        WorkLimitError: there are too many.
    """
    meter = _current_meter.get()
    if meter is not None:
        meter.charge(units)


def is_metering() -> bool:
    """Return whether a meter is active."""
    return _current_meter.get() is not None


@contextmanager
def stop_metering() -> Iterator[None]:
    """Run the block without a meter, because its work has limits of its own."""
    token = _current_meter.set(None)
    try:
        yield
    finally:
        _current_meter.reset(token)
