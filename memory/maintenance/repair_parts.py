"""Repair in place: rebuild what can be rebuilt, remove the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory import text_index
from aurora.memory.embeddings import DIMENSIONS
from aurora.memory.model import compute_chunk_id

from .check_journal import iter_wrong_runs, iter_wrong_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from aurora.memory.storage import Tables

    from .findings import MemoryPart


def repair_parts(db: Tables, parts: Collection[MemoryPart]) -> list[str]:
    """Repair these parts in the open write transaction; index afterwards.

    Returns:
        The names of what is lost.
    """
    lost: list[str] = []
    for part, repair in _REPAIRS.items():
        if part in parts:
            lost += repair(db)
    db.meta.update(index_state="running", index_owner="")
    db.meta.bump_generation()
    return lost


def repair_journal(db: Tables) -> list[str]:
    """Remove unreadable rows and those that the journal refuses, and cut each run before its first gap."""
    lost = []
    for run in [*db.damage.list_unreadable_runs(), *[run for run, _ in iter_wrong_runs(db)]]:
        db.runs.remove([run])
        lost.append(f'run "{run}"')
    for run, count in db.damage.list_headless_runs():
        db.damage.truncate_run(run, 0)
        lost.append(f'{count} steps of the missing run "{run}"')
    wrong = [(run, seq) for run, seq, _ in iter_wrong_steps(db)]
    for run, seq in [*db.damage.list_unreadable_steps(), *wrong]:
        db.damage.remove_step(run, seq)
        lost.append(f'step {seq} of run "{run}"')
    for run, _, last in db.damage.list_run_gaps():
        numbers = db.damage.get_step_numbers(run)
        first = next(seq for seq in range(1, last + 2) if seq not in numbers)
        db.damage.truncate_run(run, first - 1)
        after = sum(seq > first for seq in numbers)
        lost.append(f'{after} steps of run "{run}" after the missing step {first}')
    return lost


def _repair_chunks(db: Tables) -> list[str]:
    db.damage.remove_orphan_chunks()
    db.damage.invalidate_damaged_files()
    lost = [f'the metadata of "{id_}"' for id_ in db.damage.reset_garbled_metadata()]
    for n, type_, kind, symbol, text in db.damage.list_misnamed_records():
        db.damage.rename_chunk(n, compute_chunk_id(type_, kind, symbol, " ".join(text.split())))
    _rebuild_text_index(db)
    return lost


def _rebuild_text_index(db: Tables) -> list[str]:
    text_index.rebuild_index(db)
    return []


def _remove_wrong_vectors(db: Tables) -> list[str]:
    db.damage.remove_wrong_vectors(DIMENSIONS)
    return []


def _clear_graph(db: Tables) -> list[str]:
    db.nodes.clear()
    db.damage.invalidate_all_files()
    return []


_REPAIRS: Mapping[MemoryPart, Callable[[Tables], list[str]]] = {
    "text": _repair_chunks,
    "words": _rebuild_text_index,
    "vectors": _remove_wrong_vectors,
    "graph": _clear_graph,
    "journal": repair_journal,
}
