"""Check of the journal: runs, numbered steps, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables

_MAX_FINDINGS = 20


def check_journal(db: Tables) -> Iterator[Finding]:
    """Yield unreadable runs and steps, steps without a run, and gaps."""
    for run in db.damage.list_unreadable_runs(_MAX_FINDINGS):
        yield Finding("journal", f'the document of run "{run}" is not a JSON object')
    for run, seq in db.damage.list_unreadable_steps(_MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is not a JSON object')
    for run, count in db.damage.list_headless_runs(_MAX_FINDINGS):
        yield Finding("journal", f'{count} steps belong to the missing run "{run}"')
    for run, count, last in db.damage.list_run_gaps(_MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" has {count} steps, but the last one is number {last}')
