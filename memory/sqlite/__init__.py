"""The memory's database on SQLite: its file, its tables, and every word of SQL.

An engine on another database is a package beside this one with the same doors: a `Store` that lends `Tables`, and what
belongs to its own way of keeping bytes (here: backups, salvage, and whether the file is whole).
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .connection import open_or_create
    from .errors import translate_errors
    from .examine import open_for_check
    from .integrity import get_sqlite_version, list_expected_objects
    from .schema import After
    from .store import BUSY_TIMEOUT, Store

__all__ = [
    "BUSY_TIMEOUT",
    "After",
    "Store",
    "get_sqlite_version",
    "list_expected_objects",
    "open_for_check",
    "open_or_create",
    "translate_errors",
]

__getattr__ = export_lazily(
    __name__,
    {
        "connection": ["open_or_create"],
        "errors": ["translate_errors"],
        "examine": ["open_for_check"],
        "integrity": ["get_sqlite_version", "list_expected_objects"],
        "schema": ["After"],
        "store": ["BUSY_TIMEOUT", "Store"],
    },
)
