"""The database's files on disk: header, access rights, log, and changes by other programs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .header import MAGIC, DatabaseHeader, check_file, copy_file, has_log, read_header
    from .index_guard import IndexGuard
    from .log import apply_damaged_log, find_log_end
    from .log_check import check_log
    from .log_header import LOG_HEADER_BYTES
    from .owner import list_foreign, lock_names, record_own, require_own, settle_files, take_name, write_mark
    from .rights import create_private, restrict_access
    from .state import INDEX_BYTES, DatabaseState, FileHarm, FileMark, find_harm, read_mark, read_state, set_log_aside

__all__ = [
    "INDEX_BYTES",
    "LOG_HEADER_BYTES",
    "MAGIC",
    "DatabaseHeader",
    "DatabaseState",
    "FileHarm",
    "FileMark",
    "IndexGuard",
    "apply_damaged_log",
    "check_file",
    "check_log",
    "copy_file",
    "create_private",
    "find_harm",
    "find_log_end",
    "has_log",
    "list_foreign",
    "lock_names",
    "read_header",
    "read_mark",
    "read_state",
    "record_own",
    "require_own",
    "restrict_access",
    "set_log_aside",
    "settle_files",
    "take_name",
    "write_mark",
]

__getattr__ = export_lazily(
    __name__,
    {
        "header": ["MAGIC", "DatabaseHeader", "check_file", "copy_file", "has_log", "read_header"],
        "index_guard": ["IndexGuard"],
        "log": ["apply_damaged_log", "find_log_end"],
        "log_check": ["check_log"],
        "log_header": ["LOG_HEADER_BYTES"],
        "owner": ["list_foreign", "lock_names", "record_own", "require_own", "settle_files", "take_name", "write_mark"],
        "rights": ["create_private", "restrict_access"],
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
