"""What the memory knows of itself: facts that are texts under a name."""

from __future__ import annotations

from aurora.memory.sqlite.table import Table

_INCREMENT = """
INSERT INTO facts (key, value) VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1
"""
_UPSERT = "INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class MetaTable(Table):
    """`root`, `index_state` and `indexed_at` are of the last indexing; `generation` counts how often chunks changed."""

    def get_all(self) -> dict[str, str]:
        """Every fact by its name."""
        return dict(self._fetch_rows("SELECT key, value FROM facts"))

    def get(self, name: str) -> str | None:
        """One fact; None where nobody noted it."""
        return next(iter(self._fetch_column("SELECT value FROM facts WHERE key = ?", name)), None)

    def update(self, **facts: str) -> None:
        """Note facts, in place of what was noted under their names before."""
        self._db.executemany(_UPSERT, facts.items())

    def bump_generation(self) -> None:
        """Say, inside the open transaction, that chunks changed; whoever holds some in memory looks at `generation`."""
        self._db.execute(_INCREMENT, ("generation",))

    def bump_graph_generation(self) -> None:
        """Say the same of the graph; whoever holds it in memory looks at `graph_generation`."""
        self._db.execute(_INCREMENT, ("graph_generation",))
