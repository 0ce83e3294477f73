"""Filter of chunks by quoted phrases and kinds."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.text_index.tokenizer import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.storage import Tables
    from aurora.memory.text_index import PostingList

    Numbers = NDArray[np.int64]

_MAX_READ = 5000
"""Chunks that are read for a phrase; the newest when more contain all of its terms."""


def extract_phrase_terms(phrases: Sequence[str]) -> list[str]:
    """Extract the index terms of all phrases."""
    return list(dict.fromkeys(word for phrase in phrases for word in extract_terms(phrase)))


def find_matching_chunks(
    db: Tables, found: Mapping[str, PostingList], phrases: Sequence[str], kinds: frozenset[str] | None
) -> Numbers | None:
    """Find the chunks that match phrases and kinds; None without a restriction.

    Args:
        db: an open read transaction.
        found: postings, including those of `extract_phrase_terms`.
        phrases: in lower case; a chunk must contain each in its symbol, its path or its text.
        kinds: kinds of chunk, in lower case; None means any.
    """
    if not phrases and kinds is None:
        return None
    words = extract_phrase_terms(phrases)
    if words and len(holders := _intersect_postings(words, found)):
        rows = _filter_chunks(db, phrases, kinds, holders[-_MAX_READ:])
        if len(rows):
            return rows
    # a phrase may begin or end within a word, or have no term: then every text is read, 0.1 s for 100 MB
    return _filter_chunks(db, phrases, kinds, None)


def _filter_chunks(db: Tables, phrases: Sequence[str], kinds: frozenset[str] | None, among: Numbers | None) -> Numbers:
    numbers = db.chunks.find_with_phrases(phrases, kinds, among if among is None else among.tolist())
    return np.array(numbers, np.int64)


def _intersect_postings(words: Sequence[str], found: Mapping[str, PostingList]) -> Numbers:
    """Find the chunks that contain all of these terms."""
    postings = [found[word].n.astype(np.int64) for word in words if word in found]
    if len(postings) < len(words):
        return np.zeros(0, np.int64)
    return reduce(np.intersect1d, sorted(postings, key=len))
