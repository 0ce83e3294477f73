"""How big each part of the database is, how fresh it is against the tree, and how much it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .index_survey import survey
from .model_reports import Skipped
from .source import read_source
from .sqlite.rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import apsw

    from .discover import SourceFile
    from .sqlite.store import Store

_LOOKED_INTO = 300
"""Files that are not known and are read, to see whether an indexing would take them; more are taken to be new."""

PARTS: dict[str, tuple[str, ...]] = {
    "text": ("chunks", "files"),
    "words": ("docs", "postings", "segments"),
    "vectors": ("vectors",),
    "graph": ("edges", "graph_gone", "graph_packed", "graph_pending", "nodes", "refs"),
    "journal": ("runs", "steps"),
}
"""Part -> its tables; their indexes count with them, and whatever is in no part is `other`."""

_SIZES = """
SELECT coalesce(sqlite_schema.tbl_name, dbstat.name), sum(dbstat.pgsize)
FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE dbstat.aggregate = TRUE GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What `stats` does not count.

    Attributes:
        sizes: bytes by part; `free` are pages that the next writes use, `log` is what lies in the write-ahead log.
        state: `complete`, `running` (also when stopped in between), `outgrown`, or `never`.
        changed, new, gone: files since the last indexing; None when the project's folder is not there.
        accesses: how often chunks were used, as far as it is kept; `used` counts the chunks.
    """

    sizes: Mapping[str, int]
    state: str
    changed: int | None
    new: int | None
    gone: int | None
    accesses: int
    used: int


def upkeep(store: Store, root: Path) -> Upkeep:
    """Measure the database, and look at every file of the project once, at the cost of a `stat`.

    Args:
        store: the memory.
        root: the project's folder as it is now.

    Raises:
        Fault: see `sqlite.complaints`.
    """
    with store.reading() as db:
        sizes = _sizes(db) | {"log": _log(store.path)} if store.path.exists() else {}
        facts = pairs(db, "SELECT key, value FROM facts")
        known = {row[0]: row[1:] for row in ask(db, "SELECT path, size, mtime_ns, sha256 FROM files")}
        ((accesses, used),) = ask(db, "SELECT count(*), count(DISTINCT id) FROM accesses")
    changed, new, gone = _since(root, known, facts.get("indexed_at"))
    return Upkeep(sizes, facts.get("index_state", "never"), changed, new, gone, accesses, used)


def _sizes(db: apsw.Connection) -> dict[str, int]:
    by_table = pairs(db, _SIZES)
    sizes = {part: sum(by_table.pop(table, 0) for table in tables) for part, tables in PARTS.items()}
    free = int(db.pragma("freelist_count")) * int(db.pragma("page_size"))
    return sizes | {"other": sum(by_table.values()), "free": free}


def _log(database: Path) -> int:
    log = database.with_name(f"{database.name}-wal")
    return log.stat().st_size if log.exists() else 0


def _since(
    root: Path, known: dict[str, tuple[int, int, str]], indexed_at: str | None
) -> tuple[int | None, int | None, int | None]:
    """Files changed, new and gone."""
    if indexed_at is None or not root.is_dir():
        return None, None, None
    found = survey(root, known, ())
    unknown = [job.file for job in found.jobs if job.file.path not in known]
    new = sum(_is_wanted(file, root) for file in unknown) if len(unknown) <= _LOOKED_INTO else len(unknown)
    return len(found.jobs) - len(unknown), new, len(found.removed)


def _is_wanted(file: SourceFile, root: Path) -> bool:
    """Whether an indexing would take it: what it left out, for it is binary or generated, is not new for ever."""
    return not isinstance(read_source(file, root), Skipped)
