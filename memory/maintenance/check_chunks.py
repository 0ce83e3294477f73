"""Check of the chunks: file, id and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.indexing import RUNNING, is_run_active

from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables

_MAX_FINDINGS = 20


def check_chunks(db: Tables) -> Iterator[Finding]:
    """Yield invalid chunks and unfinished indexing."""
    for id_, path in db.damage.list_orphan_chunks(_MAX_FINDINGS):
        yield Finding("text", f'chunk "{id_}" belongs to "{path}", which is not indexed')
    for id_ in db.damage.list_misnamed_chunks(_MAX_FINDINGS):
        yield Finding("text", f'the id "{id_}" does not match the type of its chunk')
    for id_ in db.damage.list_garbled_chunks(_MAX_FINDINGS):
        yield Finding("text", f'the metadata of chunk "{id_}" is not a JSON object')
    meta = db.meta.get_all()
    state = meta.get("index_state")
    if "generation" not in meta and db.chunks.get_last_number():
        yield Finding("text", "the number of the memory's changes cannot be read")
    if state == RUNNING:
        message = "an indexing is running" if is_run_active(meta) else "an indexing was cut short, or has just ended"
        yield Finding("text", message, INDEX_COMMAND, unfinished=True)
    if state == "outgrown":
        yield Finding(
            "text", "the memory was migrated from an older version and needs indexing", INDEX_COMMAND, unfinished=True
        )
