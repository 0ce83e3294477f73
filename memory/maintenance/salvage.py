"""Salvaging: what can still be read out of a torn database is carried into a new one, and the torn one is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.files.atomic import displace, scratch
from aurora.memory.sqlite.backup.lock import alone
from aurora.memory.sqlite.connection import establish
from aurora.memory.sqlite.errors import spoken
from aurora.memory.sqlite.salvage.transfer import carried
from aurora.memory.text_index import write as lexicon_write

from .check import torn
from .mend import mend_journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory.sqlite.tables.all import Tables

_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was saved, in rows by table, and what was not, by name; `aside` is where the torn database is now."""

    aside: Path | None
    saved: Mapping[str, int]
    lost: Sequence[str]


def salvage(database: Path) -> Salvaged:
    """Put a new database in the place of a torn one, with all that can be read of what people and runs put there.

    The torn one is only copied until the new one is finished: a kill at any moment leaves the one or the other. Of two
    processes that salvage at once, the second finds the work of the first and leaves it alone.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or salvages for too long.
    """
    with spoken(database), alone(database):
        if not torn(database):
            return Salvaged(None, {}, ())
        with scratch(database) as staged:
            establish(staged, patience=_PATIENCE, after={})
            saved, lost = carried(database, staged, _made_whole, patience=_PATIENCE)
            return Salvaged(displace(staged, database), saved, lost)


def _made_whole(db: Tables) -> list[str]:
    """Cut runs before their gaps, and let records be found by their words; what is lost by that."""
    lost = mend_journal(db)
    lexicon_write.add_facts(db)
    return lost
