"""The files of the project: the SQL of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


class Files:
    """The files of the project."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
