"""A chunk made ready to be written: its id, and its metadata as JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .documents import dumped

if TYPE_CHECKING:
    from .model import Chunk


@dataclass(frozen=True, slots=True)
class Record:
    """A chunk, and its metadata as JSON."""

    chunk: Chunk
    metadata: str


def record(chunk: Chunk) -> Record:
    """The chunk made ready.

    Raises:
        Fault: INVALID_INPUT when its metadata is not JSON.
    """
    return Record(chunk, dumped(chunk.metadata))


def embedded_as(path: str | None, symbol: str, text: str) -> str:
    """What of a chunk is embedded: where it stands and what it is called say as much as what is in it."""
    return f"{path or ''} {symbol}\n{text}"


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
