"""Chunks on their way through the memory: pieces of a file, ids and rows of the tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .json_columns import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .graph import GraphFacts

ChunkNames = tuple[int, str, str, Sequence[str]]
"""Number, symbol and kind of a chunk, and the other names that it defines."""


ChunkProvenance = tuple[str, str | None, str, int, int, float | None]
"""Id, path, symbol, first and last line of a chunk, and the time its file was last written, in seconds since 1970;
None without a file."""


ChunkUse = tuple[str, float]
"""Id of a chunk, and the time of an access."""


VectorRow = tuple[int, str, bytes]
"""Number, type and vector of a chunk."""


UnembeddedChunk = tuple[int, str, str | None, str, str]
"""Chunk without a vector: number, type, and the input of the embedding: path, symbol and text."""


DocumentRange = tuple[int, int, str, str | None, int, int, int, bytes]
"""Row of a document: numbers of its first and last chunk, type, path, the numbers of terms of its text, names and
path, and of each chunk's text, 16 bits each."""


PostingBlock = tuple[str, bytes]
"""First term and content of a block of postings."""


FileFingerprint = tuple[int, int, str]
"""Size in bytes, modification time in nanoseconds, SHA-256 of a file as it was indexed."""


ChunkRow = tuple[str, str, str | None, int, int, str, str, str, str, str, str]
"""Table row of a chunk, built where it is parsed, possibly in another process: id, type, path, first and last line,
symbol, kind, language, text, metadata as JSON, and name."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """File as the tables store it.

    Attributes:
        parsed: False when its grammar found errors, or when there is no grammar, and it became plain text.
        rows: its chunks as their table takes them; None when the content is what is stored already, and only the
            time has changed.
        left_out: line numbers and kinds of the secrets that are left out.
        graph: its part in the code graph; None for what has no structure.
        vectors: known embeddings of its chunks by id; None for a file that was parsed.
    """

    path: str
    language: str
    size: int
    mtime_ns: int
    sha256: str
    parsed: bool
    rows: tuple[ChunkRow, ...] | None
    graph: GraphFacts | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    vectors: Mapping[str, bytes] | None = None


class Piece(NamedTuple):
    """Range of lines of a file; a tuple, since a large project has 100,000 of them.

    Attributes:
        kind: `function`, `method`, `class`, `constant` …; `module` for lines between definitions; `section` of a
            document; `text` where there is no structure.
        symbol: qualified name with dots, `Class.method`, or the path of headings, `Install > From source`; may be
            empty.
        start_line, end_line: first and last line, counted from 1.
        text: those lines joined by a newline, without carriage returns.
        language: the file's language.
        metadata: further facts, each key only where it has a value: `parent` (the enclosing symbol),
            `signature`, `doc` (first line of its docstring or comment), `imports` (module names as
            written), `defines` (further symbols that have no piece of their own), `part` ("2/3" of a long one). A
            stored chunk has `encoding` as well, for a file that is not UTF-8.
    """

    kind: str
    symbol: str
    start_line: int
    end_line: int
    text: str
    language: str
    metadata: Mapping[str, Any]


ChunkType = Literal["code", "reas", "know"]


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """Pieces of a file in line order.

    Attributes:
        type: `code`, or `know` for documents.
        parsed: False when the grammar found errors or timed out; True for a language without a grammar.
        graph: the file's part in the code graph; None for a file without structure.
    """

    type: ChunkType
    pieces: tuple[Piece, ...]
    parsed: bool
    graph: GraphFacts | None = None


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
    # The hash of the first parts is made once and copied, since a file with many pieces has them in common.
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
    # C++ and Rust write `::` between names, and others `#`.
    last = symbol.replace("::", ".").replace("#", ".").rstrip(".").rpartition(".")[2]
    return last.strip().casefold()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Chunk of memory: a part of a file, a document, a fact or a pattern.

    Attributes:
        id: stable name, `code:1f3a9c0b2d4e`, `know:…` or `reas:…`; the same for unchanged content at the same place.
        type: `code`, `know` (documents, facts) or `reas` (reasoning patterns).
        path: the file inside the project with forward slashes; None for what is not from a file.
        start_line, end_line: first and last line, counted from 1; 0 where there is no file.
        symbol: qualified name, `Class.method`, the heading of a section, or the title of a pattern; may be empty.
        kind: `function`, `class`, `method`, `section`, `text`, `pattern`, `cached` …
        language: `python`, `markdown` …; empty where there is none.
        text: the whole text.
        metadata: further facts (JSON values).
    """

    id: str
    type: ChunkType
    path: str | None
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Place(NamedTuple):
    """Lines of a hit's file, and the symbol that they define."""

    start_line: int
    end_line: int
    symbol: str


class Hit(NamedTuple):
    """Search hit: a chunk, its score in 0..1 (comparable within one result) and its parts."""

    chunk: Chunk
    score: float
    preview: str
    parts: Mapping[str, float]
    stale: bool = False
    """True when the file, or one that a pattern cites, has changed since indexing, so that the lines may have moved."""
    doubtful: bool = False
    """True for a past answer whose citations changed, are gone, or cannot be checked."""
    adopted: bool = False
    """True for a record that another account wrote, and `aur mem adopt` took over."""
    confirmed: bool = False
    """True for a record that a person confirmed."""
    fit: float = 0.0
    """0..1, absolute match with the query by itself, whatever else is found."""
    places: tuple[Place, ...] = ()
    """The next best chunks of the same file, in a search by file."""


class SearchResult(NamedTuple):
    """Hits of a search, best first, with its confidence.

    Attributes:
        confidence: 0..1; near 0 when nothing matches the query's terms or embedding.
        total: number of candidates.
        note: a remark on the result (nothing found, memory empty, stale files); else empty.
    """

    hits: Sequence[Hit]
    confidence: float
    total: int
    note: str = ""
