"""Answers stored as patterns, the chunks that they cite, and what a person confirms."""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aurora.errors import Code, Fault, check_cancelled
from aurora.memory.model.json_columns import encode_json, get_timestamp

from .edits import complete_record, embed_record, insert_record
from .records import remove_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage.store import Store, Tables

_WORD = re.compile(r"\w+")

_MAX_MERGED = 20
"""Ids of replaced answers that a record keeps, so that they resolve to it."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """Outcome of storing an answer.

    Attributes:
        id: the id of the answer that the memory now has to the question.
        created: True if that text is new.
        replaced: the ids of the older answers to the question, which are gone.
        yields: True if nothing was stored, because a person confirmed another answer, whose citations still hold.
    """

    id: str
    created: bool
    replaced: tuple[str, ...] = ()
    yields: bool = False


def store_answer(store: Store, draft: Chunk) -> StoredAnswer:
    """Store an answer in place of older ones to the same question, in one transaction.

    Args:
        store: the store.
        draft: kind, symbol, text, and metadata with `query` (the question) and `citations`.

    Raises:
        Fault: INVALID_INPUT for an empty text, or metadata that is not JSON; faults of the store.
    """
    chunk = complete_record(draft)
    vector = embed_record(chunk)
    with store.begin_write() as db:
        older = _find_answers(db, chunk.metadata["query"])
        doubtful = find_doubtful(db, older)
        for one in older:
            # What a person confirmed gives way to a new answer only when a text that it cites has changed.
            if is_confirmed(one.metadata) and one.id not in doubtful and not is_confirmed(chunk.metadata):
                return StoredAnswer(one.id, created=False, yields=one.id != chunk.id)
        check_cancelled()
        replaced = tuple(one.id for one in older if one.id != chunk.id)
        chunk = replace(chunk, metadata={**chunk.metadata, **_list_merged(older, chunk.id)})
        remove_records(db, replaced)
        created = len(replaced) == len(older)
        if created:
            insert_record(db, chunk, vector)
        else:
            # The same answer again: it now cites today's texts, so that it is not doubtful any more.
            db.chunks.update_metadata([(chunk.id, encode_json(chunk.metadata))])
            db.records.set_remembered_times([(chunk.id, time.time())])
            db.meta.bump_generation()
    return StoredAnswer(chunk.id, created, replaced)


def normalize_question(question: str) -> str:
    """Return the words of a question in lower case; questions with the same words are one."""
    text = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(_WORD.findall(text)) or " ".join(text.split())


def _find_answers(db: Tables, question: str) -> tuple[Chunk, ...]:
    # Compared here and not by the database, which folds ASCII only.
    wanted = normalize_question(question)
    return db.chunks.get([id_ for id_, asked in db.records.list_questions() if normalize_question(asked) == wanted])


def _list_merged(older: Sequence[Chunk], own: str) -> dict[str, list[str]]:
    """List the ids that lead to the new answer: those of older ones, and of what these had replaced."""
    ids: list[str] = []
    for one in older:
        before = one.metadata.get("merged")
        ids += [one.id, *(id_ for id_ in (before if isinstance(before, list) else []) if isinstance(id_, str))]
    merged = [id_ for id_ in dict.fromkeys(ids) if id_ != own][:_MAX_MERGED]
    return {"merged": merged} if merged else {}


def confirm_record(store: Store, id_: str, *, by: str, how: str) -> Chunk:
    """Mark a record as confirmed by a person.

    The citations get the hashes of today's texts; those that are gone are left out, unless all are.

    Args:
        store: the store.
        id_: the id of a fact or a pattern.
        by: the name of the person's account.
        how: how the person was asked, as `terminal`.

    Returns:
        The record as it is now.

    Raises:
        Fault: NOT_FOUND for an unknown id, CONFLICT for a chunk of a file.
    """
    with store.begin_write() as db:
        chunk = find_record(db, id_)
        metadata = {**chunk.metadata, "confirmed": build_confirmation(by, how)}
        cited = db.chunks.get([one.id for one in read_citations(metadata)])
        if citations := cite_chunks(one for one in cited if is_evidence(one)):
            metadata["citations"] = citations
        return _update_metadata(db, chunk, metadata)


def build_confirmation(by: str, how: str) -> dict[str, str]:
    """Build the mark of a confirmation: who, how, and when (ISO 8601, UTC)."""
    return {"by": by, "how": how, "at": get_timestamp()}


def revoke_confirmation(store: Store, id_: str) -> Chunk:
    """Remove the mark of a confirmation, if there is one, and return the record.

    Raises:
        Fault: as `confirm_record`.
    """
    with store.begin_write() as db:
        chunk = find_record(db, id_)
        return _update_metadata(db, chunk, {key: value for key, value in chunk.metadata.items() if key != "confirmed"})


def find_record(db: Tables, id_: str) -> Chunk:
    """Find a fact or a pattern by its id.

    Raises:
        Fault: NOT_FOUND for an unknown id, CONFLICT for a chunk of a file.
    """
    chunk = next(iter(db.chunks.get([id_])), None)
    if chunk is None:
        heir = db.chunks.find_merged([id_]).get(id_)
        message = f'there is no record "{id_[:80]}"'
        remedy = f'It was replaced by "{heir}".' if heir else "`aur mem search` shows the ids: know:… or reas:…"
        raise Fault(Code.NOT_FOUND, message, help=remedy, details={"id": id_[:80]})
    if chunk.path is not None:
        message = f'"{id_[:80]}" is a chunk of {chunk.path}, which needs no confirmation'
        raise Fault(Code.CONFLICT, message, help="Give the id of a fact or a pattern: know:… or reas:… without a file.")
    return chunk


def _update_metadata(db: Tables, chunk: Chunk, metadata: dict[str, Any]) -> Chunk:
    if metadata != chunk.metadata:
        db.chunks.update_metadata([(chunk.id, encode_json(metadata))])
        db.meta.bump_generation()
    return replace(chunk, metadata=metadata)


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
        # A changed text is another chunk, so the id is missing in both cases; only the file tells them apart.
        return "changed" if citation.path and db.files.get_known_in([citation.path]) else "gone"
    if not citation.hash:
        return "unknown"
    # A fact is evidence only as long as a person's confirmation of it stands.
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
    # One look-up for the citations of all: a search checks the answers among its hits, and each may cite fifty texts.
    known = list(dict.fromkeys(one for citations in cited.values() for one in citations))
    states = dict(zip(known, check_citations(db, known), strict=True)) if known else {}
    foreign = {one.id for one in given if is_adopted(one.metadata) and not is_confirmed(one.metadata)}
    return frozenset(foreign).union(
        id_ for id_, citations in cited.items() if set(map(states.get, citations)) != {"unchanged"}
    )
