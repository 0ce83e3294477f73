"""The chunks: each belongs to a file that is listed, has an id of its type, and metadata that can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.sqlite.tables import Tables

_MAX_FINDINGS = 20


def check_chunks(db: Tables) -> Iterator[Finding]:
    """Chunks that are not what they should be, and an indexing that was not finished."""
    for id_, path in db.damage.list_orphan_chunks(_MAX_FINDINGS):
        yield Finding("text", f'chunk "{id_}" is of "{path}", which is not among the files')
    for id_ in db.damage.list_misnamed_chunks(_MAX_FINDINGS):
        yield Finding("text", f'"{id_}" is no id of a chunk of its type')
    for id_ in db.damage.list_garbled_chunks(_MAX_FINDINGS):
        yield Finding("text", f'the metadata of chunk "{id_}" is not JSON')
    state = db.meta.get("index_state")
    if state == "running":
        message = "indexing was stopped before its end, or is still going on"
        yield Finding("text", message, INDEX_COMMAND, unfinished=True)
    if state == "outgrown":
        yield Finding(
            "text", "the memory grew from an older version and waits for its files", INDEX_COMMAND, unfinished=True
        )
