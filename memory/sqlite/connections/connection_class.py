"""Connection that is counted while it is open."""

from __future__ import annotations

from collections import Counter

import apsw

_open_counts: Counter[str] = Counter()
"""Connections of this process by path: they share one mapping of the log's index into memory."""


class Connection(apsw.Connection):
    """Connection to a database file that is counted while it is open."""

    def __init__(self, name: str, flags: int) -> None:
        super().__init__(name, flags)
        self._counted: str | None = name
        _open_counts[name] += 1

    def close(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - as the base class
        """Close the connection; a second call does nothing."""
        super().close(force)
        if self._counted is not None:
            _open_counts[self._counted] -= 1
            self._counted = None


def is_open(name: str) -> bool:
    """Return True if this process has a connection to the file of this name."""
    return _open_counts[name] > 0
