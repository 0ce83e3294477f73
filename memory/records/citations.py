"""Citations of a pattern: the chunks that its answer is based on, with the hashes of their texts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage import Tables

MAX_CITATIONS = 50
"""Citations of one record that are read; an imported record may have more."""
CitationState = Literal["unchanged", "changed", "gone", "unknown"]
"""State of cited text since it was cited: `changed` within its file, `gone` with its file, `unknown` without a hash."""


class Citation(NamedTuple):
    """Cited chunk; `path` is empty for a fact, `hash` in records of an older Aurora."""

    id: str
    path: str
    symbol: str
    hash: str


def cite_chunks(chunks: Iterable[Chunk]) -> list[dict[str, str]]:
    """Build the citations of chunks as metadata, with the hashes of their texts."""
    cited = (Citation(chunk.id, chunk.path or "", chunk.symbol, hash_text(chunk.text)) for chunk in chunks)
    return [one._asdict() for one in cited]


def hash_text(text: str) -> str:
    """Compute the hash of a cited text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_citations(metadata: Mapping[str, Any]) -> tuple[Citation, ...]:
    """Read the citations of a record; those of an older Aurora are ids without a hash.

    A value of another form is left out, since an imported record may have any.
    """
    given = metadata.get("citations")
    citations = (_read_citation(one) for one in (given if isinstance(given, list) else [])[:MAX_CITATIONS])
    return tuple(one for one in citations if one is not None)


def _read_citation(given: Any) -> Citation | None:
    if isinstance(given, str):
        return Citation(given, "", "", "")
    if not isinstance(given, dict) or not isinstance(given.get("id"), str):
        return None
    texts = (given.get(key) for key in Citation._fields)
    return Citation(*(text if isinstance(text, str) else "" for text in texts))


def list_source_paths(chunk: Chunk) -> tuple[str, ...]:
    """List the files that a chunk depends on: its own, or those that a pattern cites."""
    if chunk.path is not None:
        return (chunk.path,)
    return tuple(dict.fromkeys(one.path for one in read_citations(chunk.metadata) if one.path))


def check_citations(db: Tables, citations: Sequence[Citation]) -> list[CitationState]:
    """Compare the cited texts with those in the memory."""
    chunks = {chunk.id: chunk for chunk in db.chunks.get([one.id for one in citations])}
    return [_compare_text(db, one, chunks.get(one.id)) for one in citations]


def _compare_text(db: Tables, citation: Citation, chunk: Chunk | None) -> CitationState:
    if chunk is None:
        return "changed" if citation.path and db.files.get_known_in([citation.path]) else "gone"
    if not citation.hash:
        return "unknown"
    if not is_evidence(chunk):
        return "gone"
    return "unchanged" if hash_text(chunk.text) == citation.hash else "changed"


def is_evidence(chunk: Chunk) -> bool:
    """Return True for a chunk of a file, and for a fact that a person has confirmed."""
    return chunk.path is not None or (chunk.type == "know" and is_confirmed(chunk.metadata))


def is_adopted(metadata: Mapping[str, Any]) -> bool:
    """Return True when the record came from a memory that another account made."""
    return isinstance(metadata.get("adopted"), dict)


def is_confirmed(metadata: Mapping[str, Any]) -> bool:
    """Return True when a person has confirmed the record."""
    return isinstance(metadata.get("confirmed"), dict)


def find_doubtful(db: Tables, chunks: Iterable[Chunk]) -> frozenset[str]:
    """Find the records that cannot be relied on.

    An answer cites nothing, or a text that changed, is gone or has no hash. A record of another account was not
    confirmed here.

    Returns:
        Their ids. A pattern that is no answer, as a way of working, cites nothing that could change.
    """
    given = list(chunks)
    answers = [chunk for chunk in given if chunk.type == "reas" and "query" in chunk.metadata]
    cited = {chunk.id: read_citations(chunk.metadata) for chunk in answers}
    known = list(dict.fromkeys(one for citations in cited.values() for one in citations))
    states = dict(zip(known, check_citations(db, known), strict=True)) if known else {}
    foreign = {one.id for one in given if is_adopted(one.metadata) and not is_confirmed(one.metadata)}
    return frozenset(foreign).union(
        id_ for id_, citations in cited.items() if set(map(states.get, citations)) != {"unchanged"}
    )
