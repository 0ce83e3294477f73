"""A change stands only while somebody waits for it: the gate that every commit goes through."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cancelled(BaseException):
    """Raised inside a tool at its next report of progress, or its next commit, once nobody waits for it.

    Not an Exception, so that a tool which survives ordinary failures does not go on by accident.
    """


class CancelScope:
    """Somebody who waits for a piece of work, which may be a part of a larger one that others wait for.

    Args:
        counted: whether its changes count as changes of what it is a part of.

    Attributes:
        changes: how many changes of this work stand.
    """

    def __init__(self, *, counted: bool = True) -> None:
        self._parent = _current_scope.get()
        self._counts_changes = counted
        # One for the whole call: a part and the whole are never given up in the middle of the same commit.
        self._lock: threading.RLock = self._parent._lock if self._parent else threading.RLock()  # noqa: SLF001 - of its own kind
        self._cancelled = False
        self.changes = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits any more, for this or for what it is a part of."""
        return self._cancelled or (self._parent is not None and self._parent.is_cancelled)

    @contextmanager
    def activate(self) -> Iterator[None]:
        """What runs in this block, and in threads that take over its context, is the work that is waited for."""
        token = _current_scope.set(self)
        try:
            yield
        finally:
            _current_scope.reset(token)

    def cancel(self) -> int:
        """Wait no longer; a commit that is under way is let through, and none comes after it.

        Returns:
            How many changes stand.
        """
        with self._lock:
            self._cancelled = True
            return self.changes

    def cancel_nowait(self) -> None:
        """As `leave`, without waiting for a commit that is under way."""
        self._cancelled = True

    @contextmanager
    def _guard_commit(self) -> Iterator[None]:
        with self._lock:
            if self.is_cancelled:
                raise Cancelled
            yield
            self._count_change()

    def _count_change(self) -> None:
        self.changes += 1
        if self._parent is not None and self._counts_changes:
            self._parent._count_change()  # noqa: SLF001 - as above


_current_scope: ContextVar[CancelScope | None] = ContextVar("aurora_waiting", default=None)


@contextmanager
def guard_commit() -> Iterator[None]:
    """Stands around what makes a change stand: a COMMIT, the rename of a finished file, a deletion.

    Raises:
        Abandoned: when nobody waits for the work any more; the block is not entered, and nothing was changed.
    """
    waiting = _current_scope.get()
    if waiting is None:
        yield
        return
    with waiting._guard_commit():  # noqa: SLF001 - the other half of this file
        yield


@contextmanager
def ignore_changes() -> Iterator[None]:
    """Stands around work in a folder that is thrown away afterwards: what it changes there is no change that stands."""
    with CancelScope(counted=False).activate():
        yield


def check_cancelled() -> None:
    """Go on only while somebody waits: for what prepares a change and is none itself.

    Raises:
        Abandoned: when nobody does.
    """
    waiting = _current_scope.get()
    if waiting is not None and waiting.is_cancelled:
        raise Cancelled
