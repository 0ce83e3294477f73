"""Cancellation: a commit takes effect only while a caller waits for the work."""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cancelled(BaseException):
    """Raised inside a tool at its next report of progress, or its next commit, after a cancellation.

    Not an Exception, so that a tool which survives ordinary failures does not continue by accident.
    """


class CancelScope:
    """Scope of a piece of work that can be cancelled, alone or with the scope around it.

    Args:
        counted: whether its commits count as commits of the scope around it.
        seconds: time after which it counts as cancelled.

    Attributes:
        lock: held during a commit; one for all nested scopes, so that none is cancelled in the middle of a commit.
        extra_seconds: time that work in this scope has added to its limit.
        changes: number of commits in this scope.
    """

    def __init__(self, *, counted: bool = True, seconds: float = math.inf) -> None:
        self._parent = _current_scope.get()
        self._counts_changes = counted
        self.lock: threading.RLock = self._parent.lock if self._parent else threading.RLock()
        self._cancelled = False
        self._deadline = time.monotonic() + seconds
        self.extra_seconds = 0.0
        self.changes = 0

    @property
    def is_late(self) -> bool:
        """True once its time is over, whatever the state of those around it."""
        return time.monotonic() >= self._deadline + self.extra_seconds

    @property
    def is_cancelled(self) -> bool:
        """State of this scope and of those around it."""
        return self._cancelled or self.is_late or (self._parent is not None and self._parent.is_cancelled)

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Run the block in this scope, with all threads that copy its context."""
        token = _current_scope.set(self)
        try:
            yield
        finally:
            _current_scope.reset(token)

    def cancel(self) -> int:
        """Cancel the work; let a commit in progress finish, and prevent every later one.

        Returns:
            The number of commits that took effect.
        """
        with self.lock:
            self._cancelled = True
            return self.changes

    def cancel_nowait(self) -> None:
        """Cancel the work without waiting for a commit in progress."""
        self._cancelled = True

    @contextmanager
    def guard_commit(self) -> Iterator[None]:
        """Run a commit and count it.

        Raises:
            Cancelled: the scope is cancelled; the block does not run.
        """
        with self.lock:
            # Asked with the lock held: `cancel` comes before, and nothing
            # runs, or it waits for the whole commit.
            if self.is_cancelled:
                raise Cancelled
            yield
            self.count_change()

    def extend_time(self, seconds: float) -> None:
        """Add time to the limits of the scopes around this one, for work in it that has a limit of its own.

        Args:
            seconds: that limit.
        """
        if self._parent is not None:
            self._parent.extra_seconds += seconds
            self._parent.extend_time(seconds)

    def count_change(self) -> None:
        """Count a commit, in the scope around this one too."""
        self.changes += 1
        if self._parent is not None and self._counts_changes:
            self._parent.count_change()


_current_scope: ContextVar[CancelScope | None] = ContextVar("aurora_cancel_scope", default=None)


@contextmanager
def guard_commit() -> Iterator[None]:
    """Run a commit (COMMIT, the rename of a finished file, a deletion) in the current scope.

    Raises:
        Cancelled: the scope is cancelled; the block does not run, and nothing is changed.
    """
    scope = _current_scope.get()
    if scope is None:
        yield
        return
    with scope.guard_commit():
        yield


@contextmanager
def ignore_changes() -> Iterator[None]:
    """Run work whose commits do not count as changes: in a temporary folder, or in a cache."""
    with CancelScope(counted=False).activate():
        yield


def extend_time(seconds: float) -> None:
    """Add time to the limits of the work around the current scope, as `CancelScope.extend_time` does."""
    scope = _current_scope.get()
    if scope is not None:
        scope.extend_time(seconds)


def check_cancelled() -> None:
    """Continue only while the work is not cancelled: for steps that prepare a commit.

    Raises:
        Cancelled: the current scope is cancelled.
    """
    scope = _current_scope.get()
    if scope is not None and scope.is_cancelled:
        raise Cancelled
