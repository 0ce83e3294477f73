"""SQLite storage of the memory: its file, its tables, and all of its SQL.

Another database is a package next to this one with the same interface: a `Store` with transactions on `Tables`, and
its own backups, salvage and integrity check.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .examine import open_for_check
    from .migrate import DataMigrations, migrate_schema
    from .schema import VERSION
    from .store import BUSY_TIMEOUT, SqliteStore
    from .transaction import SqliteTables

__all__ = [
    "BUSY_TIMEOUT",
    "VERSION",
    "DataMigrations",
    "SqliteStore",
    "SqliteTables",
    "migrate_schema",
    "open_for_check",
]

__getattr__ = export_lazily(
    __name__,
    {
        "examine": ["open_for_check"],
        "migrate": ["DataMigrations", "migrate_schema"],
        "schema": ["VERSION"],
        "store": ["BUSY_TIMEOUT", "SqliteStore"],
        "transaction": ["SqliteTables"],
    },
)
