"""Salvaging: what can still be read out of a torn database is carried into a new one, and the torn one is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.files import open_scratch_path, replace_database
from aurora.memory.sqlite import open_or_create, translate_errors
from aurora.memory.sqlite.backup import lock_exclusively
from aurora.memory.sqlite.salvage import transfer_rows
from aurora.memory.text_index import write as lexicon_write

from .check import has_file_damage
from .mend import repair_journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory.sqlite.tables import Tables

_BUSY_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class SalvageResult:
    """What was saved, in rows by table, and what was not, by name; `aside` is where the torn database is now."""

    damaged_path: Path | None
    saved: Mapping[str, int]
    lost: Sequence[str]


def salvage_database(database: Path) -> SalvageResult:
    """Put a new database in the place of a torn one, with all that can be read of what people and runs put there.

    The torn one is only copied until the new one is finished: a kill at any moment leaves the one or the other. Of two
    processes that salvage at once, the second finds the work of the first and leaves it alone.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or salvages for too long.
    """
    with translate_errors(database), lock_exclusively(database):
        if not has_file_damage(database):
            return SalvageResult(None, {}, ())
        with open_scratch_path(database) as staged:
            open_or_create(staged, patience=_BUSY_TIMEOUT, after={})
            saved, lost = transfer_rows(database, staged, _finish_salvage, patience=_BUSY_TIMEOUT)
            return SalvageResult(replace_database(staged, database), saved, lost)


def _finish_salvage(db: Tables) -> list[str]:
    """Cut runs before their gaps, and let records be found by their words; what is lost by that."""
    lost = repair_journal(db)
    lexicon_write.add_records(db)
    return lost
