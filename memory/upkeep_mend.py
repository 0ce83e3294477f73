"""Mends the parts of a database that SQLite finds whole: what can be made anew is, the rest is taken out and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import lexicon_verify, store_chunks
from .meaning import DIMENSIONS
from .sqlite.rows import ask
from .store_record import identify
from .upkeep_check_journal import BROKEN, GAPS, HEADLESS
from .upkeep_check_vectors import WRONG
from .upkeep_rebuild import forget_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import apsw

    from .upkeep_findings import Part

_READ_AGAIN = "UPDATE files SET sha256 = '', mtime_ns = -1"
"""The next indexing takes such a file for a changed one, and makes its chunks and its part of the graph anew."""
_NOT_JSON = "(NOT json_valid(metadata) OR metadata NOT GLOB '{*')"


def mend(db: apsw.Connection, parts: Collection[Part]) -> list[str]:
    """Mend these parts, inside the write transaction that is open; an indexing must follow.

    Returns:
        What could not be kept, by name.
    """
    lost = [said for part, work in _WORK.items() if part in parts for said in work(db)]
    db.execute(
        "INSERT INTO facts (key, value) VALUES ('index_state', 'running') "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    store_chunks.changed(db)
    return lost


def mend_journal(db: apsw.Connection) -> list[str]:
    """Take out what cannot be read, and cut each run before its first gap."""
    heads, steps = (sql for sql, _ in BROKEN)
    lost = []
    for run, _ in ask(db, heads):
        db.execute("DELETE FROM runs WHERE run = ?", (run,))
        lost.append(f'run "{run}"')
    for run, count in ask(db, HEADLESS):
        db.execute("DELETE FROM steps WHERE run = ?", (run,))
        lost.append(f'{count} steps of run "{run}", which has no head')
    for run, seq in ask(db, steps):
        db.execute("DELETE FROM steps WHERE run = ? AND seq = ?", (run, seq))
        lost.append(f'step {seq} of run "{run}"')
    for run, _, last in ask(db, GAPS):
        held = {seq for (seq,) in ask(db, "SELECT seq FROM steps WHERE run = ?", (run,))}
        first = next(seq for seq in range(1, last + 2) if seq not in held)
        db.execute("DELETE FROM steps WHERE run = ? AND NOT seq BETWEEN 1 AND ?", (run, first - 1))
        after = sum(seq > first for seq in held)
        lost.append(f'{after} steps of run "{run}" after step {first}, which is not there')
    return lost


def _mend_text(db: apsw.Connection) -> list[str]:
    db.execute("DELETE FROM chunks WHERE path IS NOT NULL AND path NOT IN (SELECT path FROM files)")
    broken = f"SELECT path FROM chunks WHERE {_NOT_JSON} OR NOT id GLOB type || ':?*'"  # noqa: S608 - a constant
    db.execute(f"{_READ_AGAIN} WHERE path IN ({broken})")
    rows = ask(db, f"SELECT id FROM chunks WHERE path IS NULL AND {_NOT_JSON}")  # noqa: S608 - as above
    lost = [f'the metadata of "{id_}"' for (id_,) in rows]
    db.execute(f"UPDATE chunks SET metadata = '{{}}' WHERE {_NOT_JSON}")  # noqa: S608 - as above
    rows = ask(db, "SELECT n, type, kind, symbol, text FROM chunks WHERE path IS NULL AND NOT id GLOB type || ':?*'")
    for n, type_, kind, symbol, text in rows:
        id_ = identify(type_, kind, symbol, " ".join(text.split()))
        db.execute("UPDATE OR REPLACE chunks SET id = ? WHERE n = ?", (id_, n))
    _mend_words(db)
    return lost


def _mend_words(db: apsw.Connection) -> list[str]:
    lexicon_verify.rebuild(db)
    return []


def _mend_vectors(db: apsw.Connection) -> list[str]:
    db.execute(f"DELETE FROM vectors WHERE n IN ({WRONG})", (DIMENSIONS,))  # noqa: S608 - a constant
    return []


def _mend_graph(db: apsw.Connection) -> list[str]:
    forget_graph(db)
    db.execute(_READ_AGAIN)
    return []


_WORK: Mapping[Part, Callable[[apsw.Connection], list[str]]] = {
    "text": _mend_text,
    "words": _mend_words,
    "vectors": _mend_vectors,
    "graph": _mend_graph,
    "journal": mend_journal,
}
