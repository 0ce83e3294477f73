"""The journal: every run has its head, its steps are numbered from 1 without a gap, and all of it is JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sqlite.rows import ask
from .upkeep_findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

_MOST = 20

BROKEN: tuple[tuple[str, str], ...] = (
    ("SELECT run, 0 FROM runs WHERE NOT json_valid(document) OR document NOT GLOB '{*'", 'the head of run "%s"'),
    ("SELECT run, seq FROM steps WHERE NOT json_valid(document) OR document NOT GLOB '{*'", 'step %d of run "%s"'),
)

HEADLESS = """
SELECT run, count(*) FROM steps WHERE run NOT IN (SELECT run FROM runs) GROUP BY run
"""
GAPS = """
SELECT run, count(*), max(seq) FROM steps GROUP BY run HAVING count(*) != max(seq) OR min(seq) != 1
"""


def journal_faults(db: apsw.Connection) -> Iterator[Finding]:
    """Runs and steps that cannot be read, steps without their run, runs with a gap."""
    for sql, what in BROKEN:
        for run, seq in ask(db, f"{sql} LIMIT ?", (_MOST,)):
            said = what % (seq, run) if seq else what % run
            yield Finding("journal", f"{said} is not JSON")
    rows = ask(
        db, "SELECT run, count(*) FROM steps WHERE run NOT IN (SELECT run FROM runs) GROUP BY run LIMIT ?", (_MOST,)
    )
    for run, count in rows:
        yield Finding("journal", f'{count} steps are of run "{run}", which has no head')
    for run, count, last in ask(db, f"{GAPS} LIMIT ?", (_MOST,)):
        yield Finding("journal", f'run "{run}" has {count} steps, and the last one is number {last}')
