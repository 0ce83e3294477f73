"""Removal of records, with undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, list_names

from . import records, undo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.storage import Store

    from .records import StoredRecord


def forget_records(store: Store, ids: Sequence[str]) -> tuple[StoredRecord, ...]:
    """Remove these records, all or none.

    Args:
        store: the store.
        ids: the ids of facts and patterns; duplicates count once.

    Returns:
        The removed records.

    Raises:
        Fault: NOT_FOUND for unknown ids, CONFLICT for chunks of files; nothing is removed then.
    """
    wanted = tuple(dict.fromkeys(ids))
    with store.begin_write() as db:
        found = records.read_records(db, wanted)
        others = set(wanted) - {record.chunk.id for record in found}
        if others:
            of_files = {chunk.id: chunk.path or "" for chunk in db.chunks.get(sorted(others))}
            raise _build_forget_fault(others, of_files, db.chunks.find_merged(sorted(others)))
        summary = f"forgot {len(found)} record{'s' if len(found) != 1 else ''}"
        undo.record_change(db, undo.UndoableChange("forget", summary, before=found))
        records.remove_records(db, wanted)
    return found


def _build_forget_fault(others: set[str], of_files: dict[str, str], merged: dict[str, str]) -> Fault:
    missing = sorted(others - of_files.keys())
    if missing:
        old = next(iter(sorted(merged)), None)
        return Fault(
            Code.NOT_FOUND,
            f"there is no record {list_names(name[:80] for name in missing)}; nothing was forgotten",
            help=f'"{old}" was merged into "{merged[old]}": forget that one, or undo the merge with `aur mem undo`'
            if old
            else "`aur mem search` and `aur mem export` show the ids of facts and patterns",
            details={"missing": [name[:80] for name in missing]},
        )
    first = min(of_files)
    return Fault(
        Code.CONFLICT,
        f'"{first}" comes from the file "{of_files[first]}", so the next indexing would add it again; '
        "nothing was forgotten",
        help="edit the file, or name it in .auroraignore, then run `aur mem index`",
        details={"files": dict(sorted(of_files.items()))},
    )
