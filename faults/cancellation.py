"""A change stands only while somebody waits for it: the gate that every commit goes through."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Abandoned(BaseException):
    """Raised inside a tool at its next report of progress, or its next commit, once nobody waits for it.

    Not an Exception, so that a tool which survives ordinary failures does not go on by accident.
    """


class Waiting:
    """Somebody who waits for a piece of work, which may be a part of a larger one that others wait for.

    Args:
        counted: whether its changes count as changes of what it is a part of.

    Attributes:
        changes: how many changes of this work stand.
    """

    def __init__(self, *, counted: bool = True) -> None:
        self._around = _now.get()
        self._counted = counted
        # One for the whole call: a part and the whole are never given up in the middle of the same commit.
        self._lock: threading.RLock = self._around._lock if self._around else threading.RLock()  # noqa: SLF001 - of its own kind
        self._over = False
        self.changes = 0

    @property
    def over(self) -> bool:
        """Whether nobody waits any more, for this or for what it is a part of."""
        return self._over or (self._around is not None and self._around.over)

    @contextmanager
    def by(self) -> Iterator[None]:
        """What runs in this block, and in threads that take over its context, is the work that is waited for."""
        token = _now.set(self)
        try:
            yield
        finally:
            _now.reset(token)

    def leave(self) -> int:
        """Wait no longer; a commit that is under way is let through, and none comes after it.

        Returns:
            How many changes stand.
        """
        with self._lock:
            self._over = True
            return self.changes

    def abandon(self) -> None:
        """As `leave`, without waiting for a commit that is under way."""
        self._over = True

    @contextmanager
    def _commit(self) -> Iterator[None]:
        with self._lock:
            if self.over:
                raise Abandoned
            yield
            self._count()

    def _count(self) -> None:
        self.changes += 1
        if self._around is not None and self._counted:
            self._around._count()  # noqa: SLF001 - as above


_now: ContextVar[Waiting | None] = ContextVar("aurora_waiting", default=None)


@contextmanager
def lasting() -> Iterator[None]:
    """Stands around what makes a change stand: a COMMIT, the rename of a finished file, a deletion.

    Raises:
        Abandoned: when nobody waits for the work any more; the block is not entered, and nothing was changed.
    """
    waiting = _now.get()
    if waiting is None:
        yield
        return
    with waiting._commit():  # noqa: SLF001 - the other half of this file
        yield


@contextmanager
def passing() -> Iterator[None]:
    """Stands around work in a folder that is thrown away afterwards: what it changes there is no change that stands."""
    with Waiting(counted=False).by():
        yield


def still_wanted() -> None:
    """Go on only while somebody waits: for what prepares a change and is none itself.

    Raises:
        Abandoned: when nobody does.
    """
    waiting = _now.get()
    if waiting is not None and waiting.over:
        raise Abandoned
