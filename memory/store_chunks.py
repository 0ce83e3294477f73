"""A chunk as its table takes it: made where it is parsed, which may be in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .documents import dumped
from .sqlite.chunks import _INSERT as INSERT
from .sqlite.chunks import COLUMNS, Chunks, chunk_of
from .sqlite.facts import Facts
from .sqlite.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .model import Chunk
    from .sqlite.tables import Tables

    Row = tuple[Any, ...]

__all__ = ["COLUMNS", "INSERT", "changed", "chunk_of", "get", "name_of", "place_vector", "remove", "row_of"]


def row_of(chunk: Chunk) -> Row:
    """What `db.chunks` takes after the number.

    Raises:
        Fault: INVALID_INPUT when the metadata is not JSON.
    """
    place = (chunk.path, chunk.start_line, chunk.end_line)
    what = (chunk.symbol, chunk.kind, chunk.language, chunk.text, dumped(chunk.metadata), name_of(chunk.symbol))
    return (chunk.id, chunk.type, *place, *what)


def name_of(symbol: str) -> str:
    """The last part of a qualified name, folded: `Class.readLine` is `readline`, `std::vec::Vec` is `vec`."""
    last = symbol.replace("::", ".").replace("#", ".").rstrip(".").rpartition(".")[2]
    return last.strip().casefold()


# ── a bridge for the time between: ask db.chunks, db.facts, db.vectors instead


def get(db: Tables, ids: Sequence[str]) -> tuple[Chunk, ...]:
    return Chunks(db).get(ids)


def place_vector(db: Tables, n: int, type_: str, body: bytes) -> None:
    Vectors(db).put(n, type_, body)


def remove(db: Tables, ids: Iterable[str]) -> None:
    Chunks(db).remove(ids)


def changed(db: Tables) -> None:
    Facts(db).chunks_changed()
