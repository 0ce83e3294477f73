"""What no file holds, and how it can be taken back: the SQL of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


class Records:
    """What no file holds, and how it can be taken back."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
