"""The memory of a project: code, reasoning and knowledge in one SQLite file; SQL lives in this room only.

The face is lazy: who only asks where a project is (every command, and the server on its way to the first answer) does
not pay for the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aurora.memory.files.locate import database_path, find_project
    from aurora.memory.model.chunks import Chunk, ChunkType, Hit, SearchResult
    from aurora.memory.model.graph import Filter, Link, Node
    from aurora.memory.model.reports import IndexReport, Skipped, Stats
    from aurora.memory.model.runs import Journalled, RunRow, StepRow

    from .memory import Memory

__all__ = [
    "Chunk",
    "ChunkType",
    "Filter",
    "Hit",
    "IndexReport",
    "Journalled",
    "Link",
    "Memory",
    "Node",
    "RunRow",
    "SearchResult",
    "Skipped",
    "Stats",
    "StepRow",
    "database_path",
    "find_project",
]

_HOMES = {
    "Filter": "model.graph",
    "IndexReport": "model.reports",
    "Journalled": "model.runs",
    "Link": "model.graph",
    "Memory": "memory",
    "Node": "model.graph",
    "RunRow": "model.runs",
    "Skipped": "model.reports",
    "Stats": "model.reports",
    "StepRow": "model.runs",
    "database_path": "files.locate",
    "find_project": "files.locate",
}
"""Name -> the module it lives in; every other name lives in `model.chunks`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES.get(name, 'model.chunks')}", __name__), name)
