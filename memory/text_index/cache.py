"""The postings that were asked for of late, held in memory: people who search say the same words again and again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .read import PostingList

MAX_POSTINGS = 1 << 20
"""Postings that are kept, at seven bytes each."""


class PostingsCache:
    """Postings by term, those of the terms that were asked for last; safe from several threads.

    Args:
        most: how many postings of all terms together.
    """

    def __init__(self, most: int = MAX_POSTINGS) -> None:
        self._limit = most
        self._total = 0
        self._by_term: dict[str, PostingList] = {}
        self._lock = threading.Lock()

    def get(self, term: str) -> PostingList | None:
        """The postings of a term, which is then the latest; None when they are not kept."""
        with self._lock:
            posting = self._by_term.pop(term, None)
            if posting is not None:
                self._by_term[term] = posting
            return posting

    def put(self, term: str, posting: PostingList) -> None:
        """Keep a term's postings, and let go of those that were asked for longest ago."""
        with self._lock:
            old = self._by_term.pop(term, None)
            self._by_term[term] = posting
            self._total += _measure_size(posting) - (_measure_size(old) if old else 0)
            while self._total > self._limit:
                oldest = next(iter(self._by_term))
                self._total -= _measure_size(self._by_term.pop(oldest))


def _measure_size(posting: PostingList) -> int:
    """A term that stands nowhere costs something too."""
    return len(posting.n) + 16
