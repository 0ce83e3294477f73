"""Full embedding model for many texts: weights as floats, and the tokenizer library."""

from __future__ import annotations

import re
import threading
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
    Places = NDArray[np.int64]

MIN_TEXTS = 100
"""Texts from which on cutting them into pieces gains more than the tenth of a second that it takes to begin."""


class FullModel:
    """Weights in memory and the library's tokenizer.

    Args:
        table: a half float for each token and dimension.
        tokenizer: the tokenizer's file.

    Attributes:
        weights: the same as single floats.
    """

    def __init__(self, table: NDArray[np.float16], tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._pieces: PieceEncoder | None = None
        self.weights: NDArray[np.float32] = table.astype(np.float32)

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """Encode each text as token numbers, without special tokens."""
        if len(texts) < MIN_TEXTS:
            return self._encode_texts(texts)
        if self._pieces is None:
            self._pieces = PieceEncoder(self._encode_texts, self._tokenizer.get_vocab())
        return self._pieces.encode(texts)

    def _encode_texts(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(encoding.ids, np.int32) for encoding in encodings]


MAX_KEPT_TOKENS = 500_000
"""Tokens of all kept pieces, above which they are dropped. A piece has at least one, so it bounds the memory, too."""


# Possessive, and each run of spaces is read once: the plain form of these patterns takes a third longer.
_ASCII_PIECE = re.compile(r" *+(?:[A-Za-z]++|[0-9]|[^A-Za-z0-9 \n]++)|\n| ++")

_ANY_PIECE = re.compile(r" *+[^ \n]++|\n| ++")

_SPACE = "▁"
"""How the vocabulary writes a space; in a text it would be one, so such a text is not cut."""

_SPECIAL = ("<unk>", "<s>", "</s>", _SPACE)

_NOT_TEXT = re.compile(r"<0x[0-9A-F]{2}>|<unk>|</?s>")
"""Tokens that stand for a byte or a sign, and never for their own text."""

_LINE_END = 13
"""The number of the token `<0x0A>`: no other token contains a line end, so it separates the pieces of a list."""

_PIECES_PER_TEXT = 200
"""Pieces that the library encodes as one text, since a call for each takes longer than the encoding."""


class _PieceNumbers(dict[str, int]):
    """The number of each piece; a new piece gets the next one when it is looked up.

    Attributes:
        new: the pieces that have a number, and no tokens yet.
    """

    def __init__(self, known: Mapping[str, int]) -> None:
        super().__init__(known)
        self.new: list[str] = []

    def __missing__(self, piece: str) -> int:
        number = self[piece] = len(self)
        self.new.append(piece)
        return number


class PieceEncoder:
    """Encodes texts as the library does, and remembers their pieces; thread-safe.

    Args:
        encode_texts: the library: encodes each text, without special tokens.
        vocabulary: the number of each token.
    """

    def __init__(self, encode_texts: Callable[[Sequence[str]], list[Numbers]], vocabulary: Mapping[str, int]) -> None:
        self._encode_texts = encode_texts
        self._cuts = can_cut(vocabulary)
        self._lock = threading.Lock()
        self._clear()

    def encode(self, texts: Sequence[str]) -> list[Numbers]:
        """Encode each text as token numbers; none for an empty text."""
        if not texts or not self._cuts:
            return self._encode_texts(texts)
        whole = [place for place, text in enumerate(texts) if _has_special(text)]
        cut = [[] if not text else _cut_text(text) for text in texts]
        for place in whole:
            cut[place] = []
        found = self._encode_pieces(cut)
        for place, numbers in zip(whole, self._encode_texts([texts[place] for place in whole]), strict=True):
            found[place] = numbers
        return found

    def _encode_pieces(self, cut: Sequence[Sequence[str]]) -> list[Numbers]:
        """Return the tokens of the pieces of each text, joined."""
        counts = np.cumsum(np.fromiter(map(len, cut), np.int64, len(cut)))
        with self._lock:
            if len(self._tokens) > MAX_KEPT_TOKENS:
                self._clear()
            try:
                numbers = np.fromiter(map(self._numbers.__getitem__, chain.from_iterable(cut)), np.int64, counts[-1])
                self._add_new()
            except BaseException:
                self._clear()  # else a piece would have a number and no tokens
                raise
            tokens, ends = self._join(numbers)
        return np.split(tokens, ends[counts[:-1]])

    def _clear(self) -> None:
        # The line end is known from the start: it separates the others.
        self._numbers = _PieceNumbers({"\n": 0})
        self._tokens: Numbers = np.array([_LINE_END], np.int32)
        self._ends: Places = np.array([0, 1], np.int64)

    def _add_new(self) -> None:
        """Let the library encode the pieces that got their number last."""
        pieces, self._numbers.new = self._numbers.new, []
        if not pieces:
            return
        groups = [pieces[at : at + _PIECES_PER_TEXT] for at in range(0, len(pieces), _PIECES_PER_TEXT)]
        # The library begins each text with a space; a line end after it separates it from the first piece.
        encoded = self._encode_texts(["\n" + "\n".join(group) for group in groups])
        tokens = np.concatenate([numbers[1:] for numbers in encoded])
        breaks = np.flatnonzero(tokens == _LINE_END)
        lengths = np.diff(np.append(breaks, len(tokens))) - 1
        self._tokens = np.concatenate([self._tokens, tokens[tokens != _LINE_END]])
        self._ends = np.concatenate([self._ends, self._ends[-1] + np.cumsum(lengths)])

    def _join(self, pieces: Places) -> tuple[Numbers, Places]:
        """Return the tokens of all pieces in order, and where those of each begin, with the end of the last."""
        starts = self._ends[pieces]
        lengths = self._ends[pieces + 1] - starts
        ends = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum(lengths, out=ends[1:])
        places = np.repeat(starts - ends[:-1], lengths)
        places += np.arange(ends[-1])
        return self._tokens[places], ends


def can_cut(vocabulary: Mapping[str, int]) -> bool:
    """Return True when no token contains a place at which a text is cut, and the line end has its number."""
    words = [token.replace(_SPACE, " ") for token in vocabulary if not _NOT_TEXT.fullmatch(token)]
    return (
        vocabulary.get("<0x0A>") == _LINE_END
        and all(_ANY_PIECE.fullmatch(word) for word in words if word)
        and all(_ASCII_PIECE.fullmatch(word) for word in words if word.isascii() and word)
    )


def _cut_text(text: str) -> list[str]:
    """Cut a text into pieces, with the space that the library puts before it."""
    return (_ASCII_PIECE if text.isascii() else _ANY_PIECE).findall(" " + text)


def _has_special(text: str) -> bool:
    return any(sign in text for sign in _SPECIAL)
