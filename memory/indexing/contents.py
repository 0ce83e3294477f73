"""Parsed contents as bytes: kept when a commit is left, used again when a file has the same content."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.memory.model.chunks import Chunk, ParsedFile, build_row
from aurora.memory.model.graph import GraphDefinition, GraphFacts, ReferenceColumns
from aurora.memory.text_index import build_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.model.graph import NodeRow
    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import Document

FORMAT = "3"
"""Version of the stored form and of the parser; contents of another version are removed."""
MAX_KEPT_BYTES = 64_000_000
"""Most bytes of all kept contents; a parsed file takes about a third of its size."""
_MAX_DECODED_BYTES = 32_000_000
"""Most bytes of one content as text; source files have at most 1 MiB."""
_LEVEL = 1
_CHUNK_TYPES: tuple[type, ...] = (str, str, int, int, str, str, str, str, dict)
_DEFINITION_TYPES: tuple[type, ...] = (str, str, str, int, int, int)
_REFERENCE_TYPES: tuple[type, ...] = (int, int, str, str, int)


class FileState(NamedTuple):
    """Content of a file on disk: path, SHA-256, size in bytes, and time of change in nanoseconds."""

    path: str
    sha256: str
    size: int
    mtime_ns: int


def build_rules_key(rules: str) -> str:
    """Build the key of the rules by which contents are parsed, from the key of the rules for secrets."""
    return f"{FORMAT}:{rules}"


def keep_contents(db: Tables, paths: Iterable[str], rules: str) -> None:
    """Keep the contents of files that are about to be replaced or removed.

    Args:
        db: the tables in a write transaction.
        paths: the files.
        rules: as `build_rules_key` returns it.
    """
    known = db.files.get_known_in(list(paths))
    for path, (_, _, sha256) in known.items():
        body = _encode_file(db, path)
        if body is not None:
            db.contents.add(path, sha256, rules, body)


def find_content(db: Tables, state: FileState, rules: str) -> bytes | None:
    """Find a content in the index of another worktree: of a file there, or a kept one.

    Args:
        db: the tables of that index.
        state: the file with this content.
        rules: as `build_rules_key` returns it.

    Returns:
        As `keep_contents` stores it; None without one.
    """
    known = db.files.get_known_in([state.path]).get(state.path)
    # Under other rules for secrets the stored text may contain lines that have to be left out by now.
    if known is not None and known[2] == state.sha256 and build_rules_key(db.meta.get("secret_rules") or "") == rules:
        return _encode_file(db, state.path)
    return db.contents.get(state.path, state.sha256, rules)


def _encode_file(db: Tables, path: str) -> bytes | None:
    """Encode the rows of a file; None for one without chunks."""
    described, chunks = db.files.get_description(path), db.chunks.list_by_file(path)
    if described is None or not chunks:
        return None
    vectors = db.vectors.get_by_file(path)
    document = {
        "language": described[0],
        "parsed": described[1],
        "type": chunks[0].type,
        "chunks": [
            (
                *(one.id, one.type, one.start_line, one.end_line, one.symbol),
                *(one.kind, one.language, one.text, dict(one.metadata)),
            )
            for one in chunks
        ],
        "vectors": {id_: base64.b64encode(body).decode("ascii") for id_, body in vectors.items()},
        "graph": _describe_graph(db, path),
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode("ascii"), _LEVEL)


def _describe_graph(db: Tables, path: str) -> dict[str, Any] | None:
    rows = sorted(db.nodes.list_rows(path), key=_get_node_order)
    if not rows:
        return None
    places = {row[0]: place for place, row in enumerate(rows)}
    defs = [(*row[3:6], row[7], row[8], places.get(row[9], -1) if row[9] is not None else -1) for row in rows]
    refs = sorted((places[source], *what, line) for source, *what, _, line in db.references.list_by_file(path))
    return {"language": rows[0][6], "defs": defs, "refs": refs}


def _get_node_order(row: NodeRow) -> tuple[bool, int, int, int, int]:
    """Return the sort key of a node: the file first, then by line.

    Of several definitions of one symbol, the last has the plain id.
    """
    _, id_, _, symbol, *_, start, end, _ = row
    turn = id_.rpartition("~")[2] if not id_.endswith(symbol) else ""
    return bool(symbol), start, -end, int(turn) if turn.isdecimal() else 1 << 30, row[0]


def decode_file(body: bytes, state: FileState) -> tuple[ParsedFile, Document] | None:
    """Decode a kept content for a file with it; None for a damaged one.

    Args:
        body: as `keep_contents` stored it.
        state: the file that has this content.
    """
    try:
        unpacker = zlib.decompressobj()
        # Bounded: a few kilobytes of a damaged or foreign row may unpack to gigabytes.
        text = unpacker.decompress(body, _MAX_DECODED_BYTES)
        return _build_file(json.loads(text), state) if unpacker.eof else None
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, zlib.error):
        return None


def _build_file(document: Mapping[str, Any], state: FileState) -> tuple[ParsedFile, Document]:
    chunks = [_build_chunk(state.path, *_check(row, _CHUNK_TYPES)) for row in document["chunks"]]
    language, parsed, type_ = _check((document["language"], document["parsed"], document["type"]), (str, bool, str))
    vectors = {id_: base64.b64decode(text, validate=True) for id_, text in document["vectors"].items()}
    file = ParsedFile(
        state.path,
        language,
        state.size,
        state.mtime_ns,
        state.sha256,
        parsed=parsed,
        rows=tuple(map(build_row, chunks)),
        graph=_build_graph(document["graph"]),
        vectors=vectors,
    )
    return file, build_document(type_, state.path, chunks)


def _build_chunk(path: str, id_: str, type_: Any, start: int, end: int, *what: Any) -> Chunk:
    return Chunk(id_, type_, path, start, end, *what)


def _build_graph(given: Mapping[str, Any] | None) -> GraphFacts | None:
    if given is None:
        return None
    defs = tuple(starmap(GraphDefinition, (_check(row, _DEFINITION_TYPES) for row in given["defs"])))
    refs = [_check(row, _REFERENCE_TYPES) for row in given["refs"]]
    (language,) = _check((given["language"],), (str,))
    # A row of another worktree's database may be damaged; a wrong position would link to another definition.
    if any(not -1 <= one.parent < len(defs) for one in defs) or any(not 0 <= row[0] < len(defs) for row in refs):
        raise ValueError
    return GraphFacts(language, defs, ReferenceColumns._make(zip(*refs, strict=True)) if refs else ReferenceColumns())


def _check(row: Sequence[Any], types: tuple[type, ...]) -> Sequence[Any]:
    """Return a row whose values have these types.

    Raises:
        ValueError: for any other row.
    """
    if len(row) != len(types) or not all(map(isinstance, row, types)):
        raise ValueError
    return row
