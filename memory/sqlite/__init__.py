"""SQLite storage of the memory: its file, its tables, and all of its SQL.

Another database is a package next to this one with the same interface: a `Store` with transactions on `Tables`, and
its own backups, recovery and integrity check.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .backup.backup import copy_aside, create_backup, get_backup_folder, list_backups
    from .backup.recover import copy_readable_rows, replace_damaged
    from .backup.restore import copy_index, install_copy, restore_backup
    from .examine import list_foreign, read_for_check, settle_files
    from .schema import VERSION
    from .store import BUSY_TIMEOUT, SqliteStore
    from .tables import get_sqlite_version, list_expected_objects
    from .transaction import SqliteTables

__all__ = [
    "BUSY_TIMEOUT",
    "VERSION",
    "SqliteStore",
    "SqliteTables",
    "copy_aside",
    "copy_index",
    "copy_readable_rows",
    "create_backup",
    "get_backup_folder",
    "get_sqlite_version",
    "install_copy",
    "list_backups",
    "list_expected_objects",
    "list_foreign",
    "read_for_check",
    "replace_damaged",
    "restore_backup",
    "settle_files",
]

__getattr__ = export_lazily(
    __name__,
    {
        "backup.backup": ["copy_aside", "create_backup", "get_backup_folder", "list_backups"],
        "backup.recover": ["copy_readable_rows", "replace_damaged"],
        "backup.restore": ["copy_index", "install_copy", "restore_backup"],
        "examine": ["list_foreign", "read_for_check", "settle_files"],
        "schema": ["VERSION"],
        "store": ["BUSY_TIMEOUT", "SqliteStore"],
        "tables": ["get_sqlite_version", "list_expected_objects"],
        "transaction": ["SqliteTables"],
    },
)
