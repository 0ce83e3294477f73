"""What the memory holds, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import schema
from .model import Stats

if TYPE_CHECKING:
    from .store import Store


def stats(store: Store) -> Stats:
    """Counts by type and language, size on disk in bytes, when last indexed.

    Raises:
        Fault: see `store_faults`.
    """
    with store.reading() as db:
        one = {
            name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - three constants
            for name in ("files", "vectors", "runs")
        }
        chunks = dict(db.execute("SELECT type, count(*) FROM chunks GROUP BY type ORDER BY type").fetchall())
        languages = dict(
            db.execute(
                "SELECT language, count(*) FROM chunks WHERE language != '' GROUP BY language ORDER BY 2 DESC, 1"
            ).fetchall()
        )
        facts = dict(db.execute("SELECT key, value FROM facts").fetchall())
    return Stats(
        path=str(store.path),
        schema_version=schema.VERSION,
        size_bytes=store.path.stat().st_size if store.path.exists() else 0,
        files=one["files"],
        chunks={type_: chunks.get(type_, 0) for type_ in ("code", "know", "reas")},
        languages=languages,
        vectors=one["vectors"],
        runs=one["runs"],
        indexed_at=facts.get("indexed_at"),
        root=facts.get("root"),
    )
