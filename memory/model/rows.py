"""What a chunk is known by, its id, its name, its text as it is compared; what of it is embedded; and its row."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

from .json_columns import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .chunks import Chunk

    ChunkRow = tuple[str, str, str | None, int, int, str, str, str, str, str, str]
    """A chunk as its table takes it, made where it is parsed, which may be in another process: id, type, path, first
    and last line, symbol, kind, language, text, metadata as JSON, and name."""


def format_embedding_text(path: str | None, symbol: str, text: str) -> str:
    """What of a chunk is embedded: where it stands and what it is called say as much as what is in it."""
    return f"{path or ''} {symbol}\n{text}"


def compute_chunk_id(type_: str, *parts: str) -> str:
    """The id of a chunk, from all that makes it itself.

    Returns:
        `type:` and 12 hexadecimal digits of a BLAKE2 hash; 48 bits, so that two of 100,000 chunks share one once
        in 50,000 such memories.
    """
    return make_id_builder(type_)(*parts)


def make_id_builder(type_: str, *shared: str) -> Callable[..., str]:
    """What gives the ids of chunks whose first parts are the same, those of one file.

    Args:
        type_: of the chunks.
        shared: the parts that all of them begin with.

    Returns:
        a function of the parts that follow.
    """
    begun = hashlib.blake2b(f"[{_encode_parts((type_, *shared))}".encode(), digest_size=6)

    def build_id(*parts: str) -> str:
        sum_ = begun.copy()
        sum_.update(f", {_encode_parts(parts)}]".encode())
        return f"{type_}:{sum_.hexdigest()}"

    return build_id


def _encode_parts(parts: Iterable[str]) -> str:
    """Parts that cannot run into each other, as `json.dumps` has them in a list."""
    return ", ".join(map(encode_basestring_ascii, parts))


def normalize_text(text: str) -> str:
    """The text without what an editor changes by itself: spaces at the ends of lines, blank lines around it."""
    return "\n".join(map(str.rstrip, text.splitlines())).strip("\n")


def build_row(chunk: Chunk) -> ChunkRow:
    """The chunk as its table takes it.

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
    """The last part of a qualified name, folded: `Class.readLine` is `readline`, `std::vec::Vec` is `vec`."""
    last = symbol.replace("::", ".").replace("#", ".").rstrip(".").rpartition(".")[2]
    return last.strip().casefold()
