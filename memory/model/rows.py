"""Ids, names, embedding texts and table rows of chunks."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

from .json_columns import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .chunks import Chunk

ChunkRow = tuple[str, str, str | None, int, int, str, str, str, str, str, str]
"""Table row of a chunk, built where it is parsed, possibly in another process: id, type, path, first and last line,
symbol, kind, language, text, metadata as JSON, and name."""


def format_embedding_text(path: str | None, symbol: str, text: str) -> str:
    """Format the text to embed: path, symbol and content."""
    return f"{path or ''} {symbol}\n{text}"


def compute_chunk_id(type_: str, *parts: str) -> str:
    """Compute the id of a chunk from its identifying parts.

    Returns:
        `type:` and 12 hexadecimal digits of a BLAKE2 hash; 48 bits, so that two of 100,000 chunks share one once
        in 50,000 such memories.
    """
    return make_id_builder(type_)(*parts)


def make_id_builder(type_: str, *shared: str) -> Callable[..., str]:
    """Create a function that computes the ids of chunks with shared first parts.

    Args:
        type_: type of the chunks.
        shared: the common first parts.

    Returns:
        A function of the remaining parts.
    """
    begun = hashlib.blake2b(f"[{_encode_parts((type_, *shared))}".encode(), digest_size=6)

    def build_id(*parts: str) -> str:
        sum_ = begun.copy()
        sum_.update(f", {_encode_parts(parts)}]".encode())
        return f"{type_}:{sum_.hexdigest()}"

    return build_id


def _encode_parts(parts: Iterable[str]) -> str:
    """Encode parts unambiguously, as `json.dumps` does in a list."""
    return ", ".join(map(encode_basestring_ascii, parts))


def normalize_text(text: str) -> str:
    """Strip trailing spaces of lines, and blank lines around the text."""
    return "\n".join(map(str.rstrip, text.splitlines())).strip("\n")


def build_row(chunk: Chunk) -> ChunkRow:
    """Build the table row of a chunk.

    Raises:
        Fault: INVALID_INPUT when the metadata is not JSON.
    """
    what = (
        chunk.symbol,
        chunk.kind,
        chunk.language,
        chunk.text,
        encode_json(chunk.metadata),
        extract_name(chunk.symbol),
    )
    return (chunk.id, chunk.type, chunk.path, chunk.start_line, chunk.end_line, *what)


def extract_name(symbol: str) -> str:
    """Extract the last part of a qualified name in lower case: `Class.readLine` -> `readline`."""
    last = symbol.replace("::", ".").replace("#", ".").rstrip(".").rpartition(".")[2]
    return last.strip().casefold()
