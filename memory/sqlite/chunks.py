"""Pieces of files, and records: the SQL of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


class Chunks:
    """Pieces of files, and records."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
