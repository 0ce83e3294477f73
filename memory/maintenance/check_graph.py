"""Check of the code graph: links have both ends, nodes have files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables


def check_graph(db: Tables) -> Iterator[Finding]:
    """Yield rows without an end, and pending links."""
    for what, count in db.damage.iter_dangling():
        yield Finding("graph", f"{count:,} {what} of the code graph have a missing end")
    if db.references.has_pending():
        whole = db.meta.get("index_state") == "complete"
        message = "names of the code graph are not linked yet"
        yield Finding("graph", message) if whole else Finding("graph", message, INDEX_COMMAND, unfinished=True)
