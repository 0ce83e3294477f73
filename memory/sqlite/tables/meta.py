"""Table of metadata about the memory, as key and text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.memory.sqlite.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection

_NUMBERS = frozenset({"generation", "graph_generation", "records_version"})
_MAX_DIGITS = 18
_INCREMENT = """
INSERT INTO facts (key, value) VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1
"""
_UPSERT = "INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class MetaTable(Table):
    """Metadata: `root`, `index_state`, `indexed_at` and `generation`.

    The first three describe the last indexing; `generation` counts the changes of chunks.
    """

    def get_all(self) -> dict[str, str]:
        """Return all values by key."""
        return {key: value for key, value in self._fetch_rows("SELECT key, value FROM facts") if _is_value(key, value)}

    def get(self, name: str) -> str | None:
        """Return one value; None if it is not set."""
        values = self._fetch_column("SELECT value FROM facts WHERE key = ?", name)
        return next((value for value in values if _is_value(name, value)), None)

    def update(self, **facts: str) -> None:
        """Set values by key."""
        self._db.executemany(_UPSERT, facts.items())

    def retain(self, names: Collection[str]) -> None:
        """Remove all values but these."""
        self._db.execute("DELETE FROM facts WHERE key NOT IN (SELECT value FROM json_each(?))", (json.dumps([*names]),))

    def bump_generation(self) -> None:
        """Count a change of chunks, so that caches reload."""
        self._db.execute(_INCREMENT, ("generation",))

    def bump_graph_generation(self) -> None:
        """Count a change of the graph, so that caches reload."""
        self._db.execute(_INCREMENT, ("graph_generation",))


def _is_value(name: object, value: object) -> bool:
    """Return False for a value that only a damaged page has; it counts as not set."""
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    return name not in _NUMBERS or (value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS)
