"""What is wrong, and how it is mended: the SQL of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


class Damage:
    """What is wrong, and how it is mended."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
