"""What the memory knows of itself: the SQL of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


class Facts:
    """What the memory knows of itself."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
