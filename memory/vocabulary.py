"""The identifiers that this process has met, as numbers, and the terms of each: what makes counting words fast."""

from __future__ import annotations

import re
import threading
from array import array
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .words import terms_of_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_IDENTIFIER = re.compile(r"\w+")
_SPLIT = bytes(sign if chr(sign).isalnum() or sign == ord("_") else ord(" ") for sign in range(128)) + bytes(128)
"""ASCII as it is split: what is in no identifier becomes a space."""

_MANY = 1 << 19
"""Identifiers that are kept: some 100 MB. A project that has more of them is counted as fast, and begins anew."""


def identifiers_in(text: str) -> list[str]:
    r"""The runs of `\w` in a text, in order; ASCII, which is nearly all code, in a third of the pattern's time."""
    if text.isascii():
        return text.encode("ascii").translate(_SPLIT).decode("ascii").split()
    return _IDENTIFIER.findall(text)


class Vocabulary(dict[str, int]):
    """Identifier -> its number; one that is asked for the first time gets the next. Numbers and terms never change."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}
        self._first = array("q")
        self._count = array("q")
        self._terms_of = array("q")
        self._arrays: tuple[Numbers, ...] = ()
        self.number = self.__getitem__

    def __missing__(self, identifier: str) -> int:
        self._first.append(len(self._terms_of))
        for term in terms_of_one(identifier):
            number = self._numbers.get(term)
            if number is None:
                number = self._numbers[term] = len(self.terms)
                self.terms.append(term)
            self._terms_of.append(number)
        self._count.append(len(self._terms_of) - self._first[-1])
        number = self[identifier] = len(self)
        return number

    def arrays(self) -> tuple[Numbers, ...]:
        """Of each identifier where its terms begin and how many there are; and the numbers of all those terms."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never index

        if not self._arrays or len(self._arrays[0]) < len(self):
            kept = (self._first, self._count, self._terms_of)
            # Copies: while numpy looked at one of them itself, nothing could be added to it.
            self._arrays = tuple(np.frombuffer(numbers, np.int64).copy() for numbers in kept)
        return self._arrays


_kept: list[Vocabulary] = []
_lock = threading.Lock()


@contextmanager
def vocabulary() -> Iterator[Vocabulary]:
    """The vocabulary of this process, or a new one when it has become too large; one thread has it at a time.

    A call's indexing and the watcher's may go on at once, and two threads that number identifiers would mix them up.
    """
    with _lock:
        if not _kept or len(_kept[0]) > _MANY:
            _kept[:] = [Vocabulary()]
        yield _kept[0]
