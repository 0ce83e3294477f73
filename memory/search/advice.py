"""Remarks on a search result: confidence, stale files, and advice."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory import files
from aurora.memory.indexing import PARTIAL, STOPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model import Hit
    from aurora.memory.storage import Tables

    from .query import Query

LOW_CONFIDENCE = 0.25
"""Confidence below which the note says that nothing matches well."""


class SearchOutcome(NamedTuple):
    """Outcome of a search.

    Attributes:
        chunk_count: number of chunks of all types in the memory.
        empty_filters: explanation of filters that match nothing.
        ignored_quotes: True when no chunk contains the quoted phrase, so that the search ignored the quotes.
        extra_error: the reason why the installed extra `semantic` cannot be used; empty when it can.
    """

    query: Query
    hits: Sequence[Hit]
    confidence: float
    chunk_count: int
    empty_filters: str = ""
    ignored_quotes: bool = False
    extra_error: str = ""


def build_note(outcome: SearchOutcome, state: str, load_error: str, index_step: str) -> str:
    """Build the note from all remarks, most important first; empty without remarks.

    Args:
        outcome: the hits.
        state: the state of the index, see `indexing.describe_state`.
        load_error: the reason why there are no embeddings; empty if there are.
        index_step: how the reader gets the files indexed, as an imperative.
    """
    return " ".join(_iter_remarks(outcome, state, load_error, index_step))


def find_stale_paths(db: Tables, root: Path | str | None, paths: Iterable[str]) -> set[str]:
    """Find the paths whose file has changed or was deleted since it was indexed; one `stat` each.

    A file with only another time, as after a copy or a switch of branches and back, is read and compared.
    Nothing is stale when the project's folder is missing: then it cannot be determined.
    """
    wanted = sorted(set(paths))
    if not wanted or root is None or not Path(root).is_dir():
        return set()
    known = db.files.get_known_in(wanted)
    return {path for path, state in known.items() if not _is_unchanged(Path(root, path), *state)}


def _is_unchanged(path: Path, size: int, mtime_ns: int, sha256: str) -> bool:
    try:
        current = path.lstat()
        if not stat.S_ISREG(current.st_mode) or current.st_size != size:
            return False
        if current.st_mtime_ns == mtime_ns:
            return True
        return files.has_hash(path, sha256)
    except OSError:
        return False


def _iter_remarks(outcome: SearchOutcome, state: str, load_error: str, index_step: str) -> Iterator[str]:
    yield from _describe_matches(outcome, index_step)
    yield from _describe_index(outcome.hits, state, index_step)
    if outcome.extra_error:
        yield f"Searched without the extra `semantic` ({outcome.extra_error}): install it again."
    if load_error:
        yield f"Searched by terms alone, because there are no embeddings ({load_error})."


def _describe_matches(outcome: SearchOutcome, index_step: str) -> Iterator[str]:
    if outcome.ignored_quotes and outcome.hits:
        yield "Nothing in the memory contains the quoted phrase; the search ignored the quotes."
    if not outcome.query.text:
        yield "The query is empty."
    elif not outcome.chunk_count:
        yield f"The memory is empty: {index_step}."
    elif not outcome.hits:
        yield outcome.empty_filters or "Nothing in the memory matches this query."
    elif outcome.confidence < LOW_CONFIDENCE:
        yield "Nothing in the memory matches this query well; these are the nearest."


def _describe_index(hits: Sequence[Hit], state: str, index_step: str) -> Iterator[str]:
    if state == STOPPED:
        yield f"The last indexing has not finished: {index_step}."
    if state == PARTIAL:
        yield f"Only some paths of the project are indexed: {index_step}."
    stale = len({hit.chunk.path for hit in hits if hit.stale and hit.chunk.path})
    if stale:
        since = "1 file changed since it was" if stale == 1 else f"{stale} files changed since they were"
        yield f"{since} indexed: {index_step}."
