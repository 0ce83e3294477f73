"""Mends the parts of a database that SQLite finds whole: what can be made anew is, the rest is taken out and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.embeddings.embedder import DIMENSIONS
from aurora.memory.model.rows import identify
from aurora.memory.text_index import verify as lexicon_verify

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from aurora.memory.sqlite.tables.all import Tables

    from .findings import Part


def mend(db: Tables, parts: Collection[Part]) -> list[str]:
    """Mend these parts, inside the write transaction that is open; an indexing must follow.

    Returns:
        What could not be kept, by name.
    """
    lost = [said for part, work in _WORK.items() if part in parts for said in work(db)]
    db.facts.note(index_state="running")
    db.facts.chunks_changed()
    return lost


def mend_journal(db: Tables) -> list[str]:
    """Take out what cannot be read, and cut each run before its first gap."""
    lost = []
    for run in db.damage.unreadable_runs():
        db.runs.remove([run])
        lost.append(f'run "{run}"')
    for run, count in db.damage.headless():
        db.damage.cut(run, 0)
        lost.append(f'{count} steps of run "{run}", which has no head')
    for run, seq in db.damage.unreadable_steps():
        db.damage.remove_step(run, seq)
        lost.append(f'step {seq} of run "{run}"')
    for run, _, last in db.damage.gaps():
        held = db.damage.numbers_of(run)
        first = next(seq for seq in range(1, last + 2) if seq not in held)
        db.damage.cut(run, first - 1)
        after = sum(seq > first for seq in held)
        lost.append(f'{after} steps of run "{run}" after step {first}, which is not there')
    return lost


def _mend_text(db: Tables) -> list[str]:
    db.damage.remove_strays()
    db.damage.read_wrong_again()
    lost = [f'the metadata of "{id_}"' for id_ in db.damage.clear_garbled()]
    for n, type_, kind, symbol, text in db.damage.misnamed_records():
        db.damage.rename(n, identify(type_, kind, symbol, " ".join(text.split())))
    _mend_words(db)
    return lost


def _mend_words(db: Tables) -> list[str]:
    lexicon_verify.rebuild(db)
    return []


def _mend_vectors(db: Tables) -> list[str]:
    db.damage.remove_wrong_vectors(DIMENSIONS)
    return []


def _mend_graph(db: Tables) -> list[str]:
    db.nodes.clear()
    db.damage.read_all_again()
    return []


_WORK: Mapping[Part, Callable[[Tables], list[str]]] = {
    "text": _mend_text,
    "words": _mend_words,
    "vectors": _mend_vectors,
    "graph": _mend_graph,
    "journal": mend_journal,
}
