"""Pause of the garbage collector while a workflow is read and checked."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY_OBJECTS = 10_000
"""New objects from which on they are set aside after a pause: to look through 300,000 twice takes 0.2 s."""


class _PauseCounter:
    """Number of threads for which the collector is paused, and its state before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._was_enabled = False

    def add(self) -> None:
        """Pause the collector for one more thread."""
        with self._lock:
            if self._count == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def remove(self) -> None:
        """End the pause of one thread; the last one enables the collector again."""
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._was_enabled:
                _set_aside()
                gc.enable()


def _set_aside() -> None:
    """Set the objects of a large workflow aside, so that no collection looks through them.

    They are freed like others when the workflow is forgotten. Only garbage in cycles stays, and an edit of a workflow
    of 1,000 phases leaves 40 objects of that kind.
    """
    if gc.get_count()[0] >= MANY_OBJECTS:
        gc.freeze()


_PAUSES = _PauseCounter()


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector of the process.

    A workflow of 1,000 phases has a million objects, none of which is garbage before its check ends: the collector
    takes a third of the time to find that out. The size of a workflow is limited, and so is what waits meanwhile.
    """
    _PAUSES.add()
    try:
        yield
    finally:
        _PAUSES.remove()
