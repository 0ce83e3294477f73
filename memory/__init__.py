"""Memory of a project: code, reasoning and knowledge, in one SQLite file or in a PostgreSQL server.

SQL is used in this package only. Names are imported on first use, so that a command that needs only the project's
folder does not import the search engine.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .database import (
        check_server,
        create_backup,
        find_server,
        get_backup_folder,
        get_engine_version,
        list_backups,
        list_expected_objects,
        list_foreign,
        make_address,
        open_server,
        open_store,
        restore_backup,
        settle_files,
    )
    from .files import database_path, find_project, has_memory, records_path
    from .memory import Memory
    from .model.chunks import Chunk, ChunkType, Hit, SearchResult
    from .model.graph import Link, LinkFilter, Node
    from .model.reports import Backup, IndexReport, ServerAddress, SkippedFile, Stats
    from .model.runs import RunJournal, RunRow, StepRow
    from .search import INDEX_STEP, PastQuestions, build_excerpt

__all__ = [
    "INDEX_STEP",
    "Backup",
    "Chunk",
    "ChunkType",
    "Hit",
    "IndexReport",
    "Link",
    "LinkFilter",
    "Memory",
    "Node",
    "PastQuestions",
    "RunJournal",
    "RunRow",
    "SearchResult",
    "ServerAddress",
    "SkippedFile",
    "Stats",
    "StepRow",
    "build_excerpt",
    "check_server",
    "create_backup",
    "database_path",
    "find_project",
    "find_server",
    "get_backup_folder",
    "get_engine_version",
    "has_memory",
    "list_backups",
    "list_expected_objects",
    "list_foreign",
    "make_address",
    "open_server",
    "open_store",
    "records_path",
    "restore_backup",
    "settle_files",
]

__getattr__ = export_lazily(
    __name__,
    {
        "database": [
            "check_server",
            "create_backup",
            "find_server",
            "get_backup_folder",
            "get_engine_version",
            "list_backups",
            "list_expected_objects",
            "list_foreign",
            "make_address",
            "open_server",
            "open_store",
            "restore_backup",
            "settle_files",
        ],
        "files": ["database_path", "find_project", "has_memory", "records_path"],
        "memory": ["Memory"],
        "model.chunks": ["Chunk", "ChunkType", "Hit", "SearchResult"],
        "model.graph": ["Link", "LinkFilter", "Node"],
        "model.reports": ["Backup", "IndexReport", "ServerAddress", "SkippedFile", "Stats"],
        "model.runs": ["RunJournal", "RunRow", "StepRow"],
        "search": ["INDEX_STEP", "PastQuestions", "build_excerpt"],
    },
)
