"""Protocols of the stored journal and of the metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from aurora.memory.model import RunHead, RunStep


class Runs(Protocol):
    """Runs and their steps, which are removed with them."""

    def insert(self, head: RunHead) -> bool:
        """Insert a run; return False if its name exists."""

    def update_document(self, run: str, updated_at: str, document: str) -> bool:
        """Update the document of a run; return False if it does not exist."""

    def add_step(self, run: str, step: RunStep) -> bool:
        """Append a step; return False if its number exists."""

    def add_steps(self, run: str, steps: Iterable[RunStep]) -> None:
        """Append steps with new numbers to an existing run."""

    def get_head(self, run: str) -> tuple[RunHead, int] | None:
        """Return the run with the number of its steps, or None."""

    def list_newest(
        self,
        limit: int,
        offset: int,
        workflow: str | None = None,
        states: Collection[str] = (),
        text: str | None = None,
    ) -> Sequence[tuple[RunHead, int]]:
        """List the newest runs with their step counts; of a workflow, in some states, or with a text."""

    def iter_all(self) -> Iterator[RunHead]:
        """Yield all runs by creation time and name."""

    def list_steps(self, run: str, first: int = 1) -> Sequence[RunStep]:
        """List the steps of a run in order; none for an unknown run."""

    def list_first_steps(self, runs: Collection[str]) -> dict[str, RunStep]:
        """Map each existing run to its first step."""

    def count_states(self) -> dict[str, int]:
        """Count the runs of each state; one without a state counts as `open`."""

    def get_latest_change(self) -> tuple[int, str]:
        """Return the number of the runs, and the time of the latest change of one; empty without runs."""

    def count_steps(self, runs: Collection[str]) -> dict[str, int]:
        """Count the steps of the existing runs."""

    def remove(self, runs: Iterable[str]) -> None:
        """Remove runs with their steps."""

    def remove_unchanged(self, runs: Sequence[tuple[str, str]]) -> int:
        """Remove runs with their steps unless another transaction continued them; return their number.

        Args:
            runs: name and time of the last update.
        """

    def clear(self) -> None:
        """Remove all runs with their steps."""


class Meta(Protocol):
    """Metadata: `root`, `index_state`, `indexed_at` and `generation`.

    The first three describe the last indexing; `generation` counts the changes of chunks.
    """

    def get_all(self) -> dict[str, str]:
        """Return all values by key."""

    def get(self, name: str) -> str | None:
        """Return one value; None if it is not set."""

    def update(self, **facts: str) -> None:
        """Set values by key."""

    def retain(self, names: Collection[str]) -> None:
        """Remove all values but these."""

    def bump_generation(self) -> None:
        """Count a change of chunks, so that caches reload."""

    def bump_graph_generation(self) -> None:
        """Count a change of the graph, so that caches reload."""
