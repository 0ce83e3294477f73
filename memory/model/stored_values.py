"""Runs, undo entries and counts as the database stores and returns them."""

from __future__ import annotations

from typing import NamedTuple


class RunHead(NamedTuple):
    """Run without its steps; times are ISO 8601 in UTC."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    document: str


class RunStep(NamedTuple):
    """Step of a run; `seq` counts from 1."""

    seq: int
    phase: str
    at: str
    document: str


class UndoEntry(NamedTuple):
    """Entry of the undo log; `at` is ISO 8601 in UTC, `document` is JSON."""

    n: int
    at: str
    action: str
    summary: str
    document: str


class RowCounts(NamedTuple):
    """Numbers of rows."""

    files: int
    vectors: int
    runs: int
    nodes: int
    """Definitions, files and sections in the code graph."""


class UsageCounts(NamedTuple):
    """Number of known accesses, and of the chunks they belong to."""

    accesses: int
    chunks: int
