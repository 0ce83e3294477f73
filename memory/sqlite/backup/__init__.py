"""backup."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .backup import Backup, create_backup, get_backup_folder, list_backups
    from .lock import lock_exclusively
    from .restore import RestoreResult, restore_backup

__all__ = [
    "Backup",
    "RestoreResult",
    "create_backup",
    "get_backup_folder",
    "list_backups",
    "lock_exclusively",
    "restore_backup",
]

__getattr__ = export_lazily(
    __name__,
    {
        "backup": ["Backup", "create_backup", "get_backup_folder", "list_backups"],
        "lock": ["lock_exclusively"],
        "restore": ["RestoreResult", "restore_backup"],
    },
)
