"""Check of the journal: runs, numbered steps, and JSON."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from aurora.memory.model import read_run_document, read_step_document

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables

_MAX_FINDINGS = 20


def check_journal(db: Tables) -> Iterator[Finding]:
    """Yield unreadable and wrong runs and steps, steps without a run, and gaps."""
    for run in db.damage.list_unreadable_runs(_MAX_FINDINGS):
        yield Finding("journal", f'the document of run "{run}" is not a JSON object')
    for run, seq in db.damage.list_unreadable_steps(_MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is not a JSON object')
    for run, wrong in islice(iter_wrong_runs(db), _MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" is damaged: {wrong}')
    for run, seq, wrong in islice(iter_wrong_steps(db), _MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is damaged: {wrong}')
    for run, count in db.damage.list_headless_runs(_MAX_FINDINGS):
        yield Finding("journal", f'{count} steps belong to the missing run "{run}"')
    for run, count, last in db.damage.list_run_gaps(_MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" has {count} steps, but the last one is number {last}')


def iter_wrong_runs(db: Tables) -> Iterator[tuple[str, str]]:
    """Yield the runs that the journal refuses though their documents are JSON objects, and what is wrong."""
    for head in db.damage.iter_runs():
        if wrong := read_run_document(head)[1]:
            yield head.run, wrong


def iter_wrong_steps(db: Tables) -> Iterator[tuple[str, int, str]]:
    """Yield run, number and fault of the steps that the journal refuses though they are JSON objects."""
    for run, seq, document in db.damage.iter_steps():
        if wrong := read_step_document(document)[1]:
            yield run, seq, wrong
