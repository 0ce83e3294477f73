"""The graph: both ends of every link exist, every definition is of a listed file, nothing waits for its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import graph_link
from .sqlite.rows import ask
from .upkeep_findings import INDEX, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

LOOSE: tuple[tuple[str, str], ...] = (
    ("edges", "ref NOT IN (SELECT n FROM refs) OR target NOT IN (SELECT n FROM nodes)"),
    ("edges", "NOT EXISTS (SELECT 1 FROM refs WHERE refs.n = edges.ref AND refs.source = edges.source)"),
    ("refs", "source NOT IN (SELECT n FROM nodes)"),
    ("nodes", "path NOT IN (SELECT path FROM files) AND path NOT IN (SELECT path FROM graph_gone)"),
    ("nodes", "parent IS NOT NULL AND parent NOT IN (SELECT n FROM nodes)"),
)
"""Table and condition: rows of which one end is missing."""

_NAMES = {"edges": "links", "refs": "references", "nodes": "definitions"}


def graph_faults(db: apsw.Connection) -> Iterator[Finding]:
    """Rows that lead nowhere, and links that were not made."""
    for table, condition in LOOSE:
        ((count,),) = ask(db, f"SELECT count(*) FROM {table} WHERE {condition}")  # noqa: S608 - constants
        if count:
            yield Finding("graph", f"{count:,} {_NAMES[table]} of the code graph lead to nothing")
    if graph_link.waits(db):
        whole = bool(ask(db, "SELECT 1 FROM facts WHERE key = 'index_state' AND value = 'complete'"))
        message = "names of the code graph wait to be linked"
        yield Finding("graph", message) if whole else Finding("graph", message, INDEX, unfinished=True)
