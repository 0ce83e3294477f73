"""The database's files on disk: header, access rights, log, and changes by other programs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .header import DatabaseHeader, check_file, has_log, read_header
    from .log import apply_log
    from .rights import create_private, restrict_access
    from .state import INDEX_BYTES, DatabaseState, FileHarm, FileMark, find_harm, read_mark, read_state, set_log_aside

__all__ = [
    "INDEX_BYTES",
    "DatabaseHeader",
    "DatabaseState",
    "FileHarm",
    "FileMark",
    "apply_log",
    "check_file",
    "create_private",
    "find_harm",
    "has_log",
    "read_header",
    "read_mark",
    "read_state",
    "restrict_access",
    "set_log_aside",
]

__getattr__ = export_lazily(
    __name__,
    {
        "header": ["DatabaseHeader", "check_file", "has_log", "read_header"],
        "log": ["apply_log"],
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
