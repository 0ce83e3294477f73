"""Backups of the database, and the lock for its replacement."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .backup import create_backup, get_backup_folder, list_backups
    from .lock import lock_exclusively, wait_for_repair
    from .restore import restore_backup

__all__ = [
    "create_backup",
    "get_backup_folder",
    "list_backups",
    "lock_exclusively",
    "restore_backup",
    "wait_for_repair",
]

__getattr__ = export_lazily(
    __name__,
    {
        "backup": ["create_backup", "get_backup_folder", "list_backups"],
        "lock": ["lock_exclusively", "wait_for_repair"],
        "restore": ["restore_backup"],
    },
)
