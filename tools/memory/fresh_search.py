"""A search that answers from what the files say now: a few hits whose file has changed are read again first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Fault

if TYPE_CHECKING:
    from aurora.memory import SearchResult
    from aurora.tools.core import Context

_MAX_FILES = 3
_MAX_BYTES = 200_000
"""Together they take less than a tenth of a second to read again; more is for `aur mem index`, or for the watcher."""


def search_fresh(query: str, context: Context, **filters: Any) -> SearchResult:
    """Search the project's memory, looking at the project where it is now.

    Args:
        query: any text.
        context: the project.
        filters: as `Memory.search` takes them.

    Raises:
        Fault: as `Memory.search`. That a file could not be read again is none: its hits stay marked as stale.
    """
    memory = context.project.memory
    found = memory.search(query, root=context.root, **filters)
    stale = {hit.chunk.path for hit in found.hits if hit.stale and hit.chunk.path}
    if stale and not memory.read_only and _reindex_stale(sorted(stale), context):
        return memory.search(query, root=context.root, **filters)
    return found


def _reindex_stale(paths: list[str], context: Context) -> bool:
    """Whether it was worth the time, and could be done without waiting for another process."""
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
