"""The chunks: each belongs to a file that is listed, has an id of its type, and metadata that can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sqlite.rows import ask
from .upkeep_findings import INDEX, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

_MOST = 20


def text_faults(db: apsw.Connection) -> Iterator[Finding]:
    """Chunks that are not what they should be, and an indexing that was not finished."""
    rows = ask(
        db,
        "SELECT id, path FROM chunks WHERE path IS NOT NULL AND path NOT IN (SELECT path FROM files) LIMIT ?",
        (_MOST,),
    )
    for id_, path in rows:
        yield Finding("text", f'chunk "{id_}" is of "{path}", which is not among the files')
    for (id_,) in ask(db, "SELECT id FROM chunks WHERE NOT id GLOB type || ':?*' LIMIT ?", (_MOST,)):
        yield Finding("text", f'"{id_}" is no id of a chunk of its type')
    rows = ask(db, "SELECT id FROM chunks WHERE NOT json_valid(metadata) OR metadata NOT GLOB '{*' LIMIT ?", (_MOST,))
    for (id_,) in rows:
        yield Finding("text", f'the metadata of chunk "{id_}" is not JSON')
    if ask(db, "SELECT 1 FROM facts WHERE key = 'index_state' AND value = 'running'"):
        message = "indexing was stopped before its end, or is still going on"
        yield Finding("text", message, INDEX, unfinished=True)
    if ask(db, "SELECT 1 FROM facts WHERE key = 'index_state' AND value = 'outgrown'"):
        yield Finding("text", "the memory grew from an older version and waits for its files", INDEX, unfinished=True)
