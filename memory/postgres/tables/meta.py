"""Table of metadata about the memory, as key and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection

_INCREMENT = """
INSERT INTO facts (key, value) VALUES ($1, '1')
ON CONFLICT (key) DO UPDATE SET value = (facts.value::bigint + 1)::text
"""
_UPSERT = """
INSERT INTO facts (key, value) SELECT * FROM unnest($1::text[], $2::text[])
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


class MetaTable(Table):
    """Metadata: `root`, `index_state`, `indexed_at` and `generation`.

    The first three describe the last indexing; `generation` counts the changes of chunks.
    """

    def get_all(self) -> dict[str, str]:
        """Return all values by key."""
        return dict(self._fetch_rows("SELECT key, value FROM facts"))

    def get(self, name: str) -> str | None:
        """Return one value; None if it is not set."""
        return next(iter(self._fetch_column("SELECT value FROM facts WHERE key = $1", name)), None)

    def update(self, **facts: str) -> None:
        """Set values by key."""
        self._write_rows(_UPSERT, facts.items())

    def retain(self, names: Collection[str]) -> None:
        """Remove all values but these."""
        self._execute("DELETE FROM facts WHERE key != ALL($1::text[])", list(names))

    def bump_generation(self) -> None:
        """Count a change of chunks, so that caches reload."""
        self._execute(_INCREMENT, "generation")

    def bump_graph_generation(self) -> None:
        """Count a change of the graph, so that caches reload."""
        self._execute(_INCREMENT, "graph_generation")
