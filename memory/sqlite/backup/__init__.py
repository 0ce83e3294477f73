"""Backups of the database, and the lock for its replacement."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .automatic import finish_backups, plan_backup
    from .backup import copy_aside, create_backup, get_backup_folder, list_backups
    from .index_copy import copy_index
    from .lock import lock_exclusively, wait_for_repair
    from .recover import copy_readable_rows, replace_damaged
    from .restore import install_copy, restore_backup

__all__ = [
    "copy_aside",
    "copy_index",
    "copy_readable_rows",
    "create_backup",
    "finish_backups",
    "get_backup_folder",
    "install_copy",
    "list_backups",
    "lock_exclusively",
    "plan_backup",
    "replace_damaged",
    "restore_backup",
    "wait_for_repair",
]

__getattr__ = export_lazily(
    __name__,
    {
        "automatic": ["finish_backups", "plan_backup"],
        "backup": ["copy_aside", "create_backup", "get_backup_folder", "list_backups"],
        "index_copy": ["copy_index"],
        "lock": ["lock_exclusively", "wait_for_repair"],
        "recover": ["copy_readable_rows", "replace_damaged"],
        "restore": ["install_copy", "restore_backup"],
    },
)
