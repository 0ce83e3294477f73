"""Search that reindexes a few changed files of its hits before it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Fault
from aurora.memory import records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Chunk, SearchResult
    from aurora.tools.core import Context

_MAX_FILES = 3
_MAX_BYTES = 200_000
"""Files up to this total size are reindexed in under 0.1 s; `aur mem index` or the watcher does the rest."""


def search_fresh(query: str, context: Context, **filters: Any) -> SearchResult:
    """Search the project's memory; reindex the hits' files when they have changed.

    Args:
        query: text to search for.
        context: the project.
        filters: as `Memory.search` takes them.

    Raises:
        Fault: as `Memory.search`. A file that cannot be reindexed is no fault: its hits stay marked as stale.
    """
    memory = context.project.memory
    found = memory.search(query, root=context.root, index_step=context.project.index_step, **filters)
    if refresh_files([hit.chunk for hit in found.hits if hit.stale], context):
        return memory.search(query, root=context.root, index_step=context.project.index_step, **filters)
    return found


def refresh_files(chunks: Sequence[Chunk], context: Context) -> bool:
    """Reindex the files of these chunks, and those that they cite, if these are few and small.

    Returns:
        True when they were reindexed.
    """
    memory = context.project.memory
    paths = [path for chunk in chunks for path in records.list_source_paths(chunk)]
    if not paths or memory.read_only:
        return False
    stale = memory.find_stale_paths(paths, root=context.root)
    return bool(stale) and _reindex_stale(sorted(stale), context)


def _reindex_stale(paths: list[str], context: Context) -> bool:
    """Reindex a few small files; return False when they are too large or another process is writing."""
    memory = context.project.memory
    files = [context.root / path for path in paths]
    try:
        if len(files) > _MAX_FILES or sum(file.stat().st_size for file in files if file.exists()) > _MAX_BYTES:
            return False
        if not memory.is_writable_now():
            return False
        memory.index(context.root, paths=files)
    except (Fault, OSError):
        return False
    return True
