"""The memory of a project: code, reasoning and knowledge in one SQLite file; SQL lives in this room only.

The face is lazy: who only asks where a project is (every command, and the server on its way to the first answer) does
not pay for the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Memory
    from .graph_values import Filter, Link, Node
    from .locate import database_path, find_project
    from .model import Chunk, ChunkType, Hit, SearchResult
    from .model_reports import IndexReport, Skipped, Stats
    from .model_runs import Journalled, RunRow, StepRow

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
    "Filter": "graph_values",
    "IndexReport": "model_reports",
    "Journalled": "model_runs",
    "Link": "graph_values",
    "Memory": "engine",
    "Node": "graph_values",
    "RunRow": "model_runs",
    "Skipped": "model_reports",
    "Stats": "model_reports",
    "StepRow": "model_runs",
    "database_path": "locate",
    "find_project": "locate",
}
"""Name -> the module it lives in; every other name lives in `model`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES.get(name, 'model')}", __name__), name)
