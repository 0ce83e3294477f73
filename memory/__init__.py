"""The memory of a project: code, reasoning and knowledge in one SQLite file; SQL lives in this room only."""

from .engine import Memory
from .locate import database_path, find_project
from .model import Chunk, ChunkType, Hit, IndexReport, Journalled, RunRow, SearchResult, Skipped, Stats, StepRow

__all__ = [
    "Chunk",
    "ChunkType",
    "Hit",
    "IndexReport",
    "Journalled",
    "Memory",
    "RunRow",
    "SearchResult",
    "Skipped",
    "Stats",
    "StepRow",
    "database_path",
    "find_project",
]
