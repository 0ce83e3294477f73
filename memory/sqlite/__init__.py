"""SQLite storage of the memory: its file, and what SQLite says differently from what the tables say."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .backup.backup import copy_aside, create_backup, get_backup_folder, list_backups
    from .backup.recover import copy_readable_rows, replace_damaged
    from .backup.restore import copy_index, install_copy, restore_backup
    from .examine import list_foreign, read_for_check, settle_files
    from .schema import VERSION
    from .session import build_tables, get_sqlite_version, list_expected_objects
    from .store import BUSY_TIMEOUT, SqliteStore

__all__ = [
    "BUSY_TIMEOUT",
    "VERSION",
    "SqliteStore",
    "build_tables",
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
        "session": ["build_tables", "get_sqlite_version", "list_expected_objects"],
        "store": ["BUSY_TIMEOUT", "SqliteStore"],
    },
)
