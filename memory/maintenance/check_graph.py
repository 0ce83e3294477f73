"""The graph: both ends of every link exist, every definition is of a listed file, nothing waits for its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.sqlite.tables import Tables


def check_graph(db: Tables) -> Iterator[Finding]:
    """Rows that lead nowhere, and links that were not made."""
    for what, count in db.damage.iter_dangling():
        yield Finding("graph", f"{count:,} {what} of the code graph lead to nothing")
    if db.references.has_pending():
        whole = db.meta.get("index_state") == "complete"
        message = "names of the code graph wait to be linked"
        yield Finding("graph", message) if whole else Finding("graph", message, INDEX_COMMAND, unfinished=True)
