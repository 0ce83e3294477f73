"""The runs of letters that this process has met, and the terms of each: what makes counting words fast."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .runs import MAX_COMPARED
from .tokens import IDENTIFIER, expand_identifier, stem_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_RUNS = 1 << 19
"""Runs that are kept: some 100 MB. A project that has more of them is counted as fast, and begins anew."""


class Vocabulary(dict[bytes, tuple[int, ...]]):
    """Run of letters -> the numbers of its terms; it is taken apart when it is asked for the first time.

    Attributes:
        terms: each term at the place of its number, which never changes.
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
    """The vocabulary of this process, or a new one when it has become too large; one thread has it at a time.

    A call's indexing and the watcher's may go on at once, and two threads that number terms would mix them up.
    """
    with _lock:
        if not _current or len(_current[0]) > _MAX_RUNS:
            _current[:] = [Vocabulary()]
        yield _current[0]
