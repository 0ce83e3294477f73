"""Answers to questions, stored as patterns: one per question, the newer in place of the older."""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled
from aurora.memory.model.json_columns import encode_json

from .citations import find_doubtful, is_confirmed
from .records import remove_records
from .remember import complete_record, embed_record, insert_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage import Store, Tables

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
            db.chunks.update_metadata([(chunk.id, encode_json(chunk.metadata))])
            db.records.set_remembered_times([(chunk.id, time.time())])
            db.meta.bump_generation()
    return StoredAnswer(chunk.id, created, replaced)


def normalize_question(question: str) -> str:
    """Return the words of a question in lower case; questions with the same words are one."""
    text = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(_WORD.findall(text)) or " ".join(text.split())


def _find_answers(db: Tables, question: str) -> tuple[Chunk, ...]:
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
