"""The journal: every run has its head, its steps are numbered from 1 without a gap, and all of it is JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.sqlite.tables import Tables

_MAX_FINDINGS = 20


def check_journal(db: Tables) -> Iterator[Finding]:
    """Runs and steps that cannot be read, steps without their run, runs with a gap."""
    for run in db.damage.list_unreadable_runs(_MAX_FINDINGS):
        yield Finding("journal", f'the head of run "{run}" is not JSON')
    for run, seq in db.damage.list_unreadable_steps(_MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is not JSON')
    for run, count in db.damage.list_headless_runs(_MAX_FINDINGS):
        yield Finding("journal", f'{count} steps are of run "{run}", which has no head')
    for run, count, last in db.damage.list_run_gaps(_MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" has {count} steps, and the last one is number {last}')
