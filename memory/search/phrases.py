"""Which chunks a search is narrowed to: those that hold every quoted phrase, and are of a wanted kind."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.sqlite.tables import Tables
    from aurora.memory.text_index import PostingList

    Numbers = NDArray[np.int64]

_MAX_READ = 5000
"""Chunks whose text is read for a phrase; the newest ones when more hold all of its words."""


def extract_phrase_terms(phrases: Sequence[str]) -> list[str]:
    """The words of all the phrases, as they are indexed."""
    return list(dict.fromkeys(word for phrase in phrases for word in extract_terms(phrase)))


def find_matching_chunks(
    db: Tables, found: Mapping[str, PostingList], phrases: Sequence[str], kinds: frozenset[str] | None
) -> Numbers | None:
    """The numbers of the chunks that may be shown, rising; None when nothing narrows them.

    Args:
        db: an open read transaction.
        found: postings, those of `phrase_words` among them.
        phrases: in lower case; a chunk must hold each in its symbol, its path or its text.
        kinds: of chunk, in lower case; None: any.
    """
    if not phrases and kinds is None:
        return None
    words = extract_phrase_terms(phrases)
    if words and len(holders := _intersect_postings(words, found)):
        rows = _filter_chunks(db, phrases, kinds, holders[-_MAX_READ:])
        if len(rows):
            return rows
    # a phrase may begin or end within a word, or have none: then every text is read, a tenth of a second for 100 MB
    return _filter_chunks(db, phrases, kinds, None)


def _filter_chunks(db: Tables, phrases: Sequence[str], kinds: frozenset[str] | None, among: Numbers | None) -> Numbers:
    import numpy as np  # noqa: PLC0415 - as above

    numbers = db.chunks.find_with_phrases(phrases, kinds, among if among is None else among.tolist())
    return np.array(numbers, np.int64)


def _intersect_postings(words: Sequence[str], found: Mapping[str, PostingList]) -> Numbers:
    """The chunks in which each of these words stands."""
    import numpy as np  # noqa: PLC0415 - as above

    postings = [found[word].n.astype(np.int64) for word in words if word in found]
    if len(postings) < len(words):
        return np.zeros(0, np.int64)
    return reduce(np.intersect1d, sorted(postings, key=len))
