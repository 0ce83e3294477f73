"""Salvage: copy what is readable of a damaged database to a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory import text_index
from aurora.memory.database import replace_damaged

from .check import has_file_damage
from .repair_parts import repair_journal

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.model import SalvageResult
    from aurora.memory.storage import Tables


def salvage_database(database: Path, *, is_certain: bool = False) -> SalvageResult:
    """Replace a damaged database by a new one with all readable records and runs.

    Args:
        database: the file.
        is_certain: replace it even if its file looks intact.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or salvages for too long.
    """
    is_damaged = (lambda _: True) if is_certain else has_file_damage
    return replace_damaged(database, is_damaged, _finish_salvage)


def _finish_salvage(db: Tables) -> list[str]:
    """Cut runs before their gaps and index the records; return the losses."""
    lost = repair_journal(db)
    text_index.add_records(db)
    return lost
