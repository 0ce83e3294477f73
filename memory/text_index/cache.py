"""LRU cache of decoded posting lists; searches repeat terms."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .read import PostingList

MAX_POSTINGS = 1 << 20
"""Cached postings at most, at seven bytes each."""


class PostingsCache:
    """LRU cache of posting lists by term; thread-safe.

    Args:
        most: the maximum number of postings of all terms together.
    """

    def __init__(self, most: int = MAX_POSTINGS) -> None:
        self._limit = most
        self._total = 0
        self._by_term: dict[str, PostingList] = {}
        self._lock = threading.Lock()

    def get(self, term: str) -> PostingList | None:
        """Return the postings of a term and mark it as most recent; None when not cached."""
        with self._lock:
            posting = self._by_term.pop(term, None)
            if posting is not None:
                self._by_term[term] = posting
            return posting

    def put(self, term: str, posting: PostingList) -> None:
        """Cache a term's postings and evict the least recently used."""
        with self._lock:
            old = self._by_term.pop(term, None)
            self._by_term[term] = posting
            self._total += _measure_size(posting) - (_measure_size(old) if old else 0)
            while self._total > self._limit:
                oldest = next(iter(self._by_term))
                self._total -= _measure_size(self._by_term.pop(oldest))


def _measure_size(posting: PostingList) -> int:
    """Return the cost of a posting list; an empty one has a cost too."""
    return len(posting.n) + 16
