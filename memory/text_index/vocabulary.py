"""Vocabulary: cache of the terms of each run of letters, per process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .runs import MAX_COMPARED
from .tokens import IDENTIFIER, expand_identifier, stem_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_RUNS = 1 << 19
"""Cached runs at most, some 100 MB; beyond them a new vocabulary begins."""


class Vocabulary(dict[bytes, tuple[int, ...]]):
    """Vocabulary: run of letters -> numbers of its terms, computed on first use.

    Attributes:
        terms: each term at the position of its number, which never changes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}

    def __missing__(self, run: bytes) -> tuple[int, ...]:
        text = run.decode("utf-8", "surrogatepass")
        words = (
            expand_identifier(text)
            if run.isascii()
            else [word for one in IDENTIFIER.findall(text) for word in expand_identifier(one)]
        )
        numbers = tuple([self._assign_number(stem_word(word)) for word in words])
        # A longer run is data, such as base64, and seldom comes again: it would only fill the memory.
        if len(run) <= MAX_COMPARED:
            self[run] = numbers
        return numbers

    def _assign_number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number


_current: list[Vocabulary] = []

_lock = threading.Lock()


@contextmanager
def borrow_vocabulary() -> Iterator[Vocabulary]:
    """Lock and yield the vocabulary of this process, or a new one when it is too large.

    A call and the watcher may index at the same time, and two threads must not number terms concurrently.
    """
    with _lock:
        if not _current or len(_current[0]) > _MAX_RUNS:
            # In place, since the number of a term must not change while somebody uses the old vocabulary.
            _current[:] = [Vocabulary()]
        yield _current[0]
