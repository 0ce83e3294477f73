"""The database's files on disk: header, access rights, log, and changes by other programs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .header import MAGIC, DatabaseHeader, check_file, copy_file, has_log, read_header
    from .owner import list_foreign, lock_names, record_own, require_own, settle_files, take_name, write_mark
    from .rights import create_private
    from .state import INDEX_BYTES, DatabaseState, FileHarm, FileMark, find_harm, read_mark, read_state, set_log_aside

__all__ = [
    "INDEX_BYTES",
    "MAGIC",
    "DatabaseHeader",
    "DatabaseState",
    "FileHarm",
    "FileMark",
    "check_file",
    "copy_file",
    "create_private",
    "find_harm",
    "has_log",
    "list_foreign",
    "lock_names",
    "read_header",
    "read_mark",
    "read_state",
    "record_own",
    "require_own",
    "set_log_aside",
    "settle_files",
    "take_name",
    "write_mark",
]

__getattr__ = export_lazily(
    __name__,
    {
        "header": ["MAGIC", "DatabaseHeader", "check_file", "copy_file", "has_log", "read_header"],
        "owner": ["list_foreign", "lock_names", "record_own", "require_own", "settle_files", "take_name", "write_mark"],
        "rights": ["create_private"],
        "state": [
            "INDEX_BYTES",
            "DatabaseState",
            "FileHarm",
            "FileMark",
            "find_harm",
            "read_mark",
            "read_state",
            "set_log_aside",
        ],
    },
)
