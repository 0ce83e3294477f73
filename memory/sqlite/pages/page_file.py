"""Pages of a database file, read one by one: a damaged or hostile file may be larger than the memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

PAGE_SIZE = 4096


class PageFile:
    """Pages of an open database file, which nothing changes meanwhile; they count from 1.

    Attributes:
        count: the number of whole pages.
    """

    def __init__(self, opened: BinaryIO) -> None:
        self._opened = opened
        self.count = opened.seek(0, os.SEEK_END) // PAGE_SIZE

    def read(self, number: int) -> bytes:
        """Read a page."""
        self._opened.seek((number - 1) * PAGE_SIZE)
        return self._opened.read(PAGE_SIZE)
