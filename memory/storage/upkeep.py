"""Protocols of sizes, damage and integrity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory.model import RowCounts, RunHead, UsageCounts


class Sizes(Protocol):
    """Queries that count rows and bytes."""

    def count_rows(self) -> RowCounts:
        """Count files, vectors, runs and nodes."""

    def count_accesses(self) -> UsageCounts:
        """Count accesses."""

    def count_by_type(self) -> dict[str, int]:
        """Count chunks by type."""

    def count_by_language(self) -> dict[str, int]:
        """Count chunks by language, the most common first."""

    def count_by_encoding(self) -> dict[str, int]:
        """Count files that are not UTF-8 by encoding, the most common first."""

    def measure_parts(self) -> dict[str, int]:
        """Measure the bytes of each of `PART_TABLES`, of `other` and of `free` pages."""


class Damage(Protocol):
    """Queries over whole tables for a check; `most` limits the results."""

    def list_orphan_chunks(self, most: int = -1) -> Sequence[tuple[str, str]]:
        """List id and path of chunks whose file is not listed."""

    def list_garbled_chunks(self, most: int = -1) -> Sequence[str]:
        """List the ids of chunks whose metadata is not a JSON object."""

    def remove_orphan_chunks(self) -> None:
        """Remove the chunks whose file is not listed."""

    def reset_garbled_metadata(self) -> Sequence[str]:
        """Empty garbled metadata; return the ids of the affected records."""

    def count_wrong_vectors(self, size: int) -> int:
        """Count vectors without a chunk, or of a wrong type or size."""

    def remove_wrong_vectors(self, size: int) -> None:
        """Remove the vectors that `count_wrong_vectors` counts."""

    def count_unembedded_chunks(self) -> int:
        """Count chunks without a vector."""

    def list_unreadable_runs(self, most: int = -1) -> Sequence[str]:
        """List runs whose document is not a JSON object."""

    def list_unreadable_steps(self, most: int = -1) -> Sequence[tuple[str, int]]:
        """List run and number of steps whose document is not a JSON object."""

    def iter_runs(self) -> Iterator[RunHead]:
        """Yield the runs whose document is a JSON object."""

    def iter_steps(self) -> Iterator[tuple[str, int, str]]:
        """Yield run, number and document of the steps whose document is a JSON object."""

    def list_headless_runs(self, most: int = -1) -> Sequence[tuple[str, int]]:
        """List missing runs that have steps, and the number of their steps."""

    def list_run_gaps(self, most: int = -1) -> Sequence[tuple[str, int, int]]:
        """List runs with missing steps: number of steps, and last step number."""

    def get_step_numbers(self, run: str) -> set[int]:
        """Return the step numbers of a run."""

    def remove_step(self, run: str, seq: int) -> None:
        """Remove one step of a run."""

    def truncate_run(self, run: str, last: int) -> None:
        """Remove the steps of a run outside of 1 to `last`."""

    def iter_dangling(self) -> Iterator[tuple[str, int]]:
        """Yield the kind and number of rows of the code graph without an end."""


class Integrity(Protocol):
    """Integrity queries, whatever the tables contain."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """Run SQLite's integrity check; return at most `most` messages."""

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables, indexes and triggers."""
