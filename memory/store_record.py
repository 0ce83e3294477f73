"""A chunk made ready to be written: its words, its vector, its id; computed outside any transaction."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .documents import dumped
from .meaning import pack_texts
from .words import split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Chunk


@dataclass(frozen=True, slots=True)
class Record:
    """A chunk and all that the tables hold of it: metadata as JSON; words of symbol, path and text; a packed vector."""

    chunk: Chunk
    metadata: str
    words: tuple[str, str, str]
    vector: bytes | None


def records(chunks: Sequence[Chunk]) -> list[Record]:
    """The chunks made ready, all vectors computed at once.

    Raises:
        Fault: INVALID_INPUT when metadata is not JSON.
    """
    vectors = pack_texts([f"{chunk.path or ''} {chunk.symbol}\n{chunk.text}" for chunk in chunks])
    return [
        Record(chunk, dumped(chunk.metadata), (split(chunk.symbol), split(chunk.path or ""), split(chunk.text)), vector)
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def identify(type_: str, *parts: str) -> str:
    """The id of a chunk, from all that makes it itself.

    Returns:
        `type:` and 12 hexadecimal digits of a BLAKE2 hash; 48 bits, so that two of 100,000 chunks share one once
        in 50,000 such memories.
    """
    sealed = json.dumps([type_, *parts]).encode()
    return f"{type_}:{hashlib.blake2b(sealed, digest_size=6).hexdigest()}"


def normalised(text: str) -> str:
    """The text without what an editor changes by itself: spaces at the ends of lines, blank lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
