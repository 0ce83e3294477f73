"""Byte-pair tokenizer for short texts, which avoids loading the tokenizer library.

The library takes a tenth of a second: it reads every merge of the vocabulary (61,249) before the first text. In this
vocabulary the merges are in the order of the tokens that they produce, so the vocabulary alone determines which pair is
merged first. Of its 32,000 tokens only those made of the text's own letters can occur in it: the first text reads only
these, a second text reads all.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Numbers = Mapping[str, int]

MAX_LENGTH = 400
"""Characters of a text that this tokenizer accepts; merging is quadratic in the length of a word."""

_SPACE = "▁"
_PIECE = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")
"""No token continues from another character to a space, so the part before a space is merged by itself."""
_SPECIAL = ("<unk>", "<s>", "</s>")
_SPACE_RANK = 1 << 20
_FIRST_MERGED = 259
"""The special tokens and the 256 bytes come before."""
_BYTES = rb"<0x[0-9A-F]{2}>"


class BytePairTokenizer:
    """Byte-pair encoding with Llama 2's vocabulary.

    Source: Sennrich et al. 2016, https://arxiv.org/abs/1508.07909.

    Args:
        vocabulary: every token with its number, as JSON.
    """

    def __init__(self, vocabulary: bytes) -> None:
        self._json = vocabulary
        self._calls = 0
        self._numbers: Numbers | None = None

    @classmethod
    def from_file(cls, file: Path) -> BytePairTokenizer:
        """Read only the vocabulary of a tokenizer file.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is of another kind.
        """
        data = file.read_bytes()
        begin, end = data.find(b"{", data.find(b'"vocab"')), data.find(b'"merges"')
        if b'"byte_fallback": true' not in data[:begin] or end < 0:
            raise ValueError(f"{file.name} is not a byte-pair vocabulary with byte fallback")
        return cls(data[begin : data.rfind(b"}", begin, end) + 1])

    def can_encode(self, text: str) -> bool:
        """Return True for a short text without special tokens."""
        return len(text) <= MAX_LENGTH and not any(sign in text for sign in _SPECIAL)

    def encode(self, text: str) -> list[int]:
        """Encode a text as token numbers; none for an empty text."""
        spaced = _SPACE + text.replace(" ", _SPACE) if text else ""
        numbers = self._select_vocabulary(spaced)
        return [number for piece in _PIECE.findall(spaced) for number in _encode_piece(piece, numbers)]

    def _select_vocabulary(self, text: str) -> Numbers:
        """Select the tokens that may occur in this text; all from the second text on."""
        self._calls += 1
        if self._numbers is None and self._calls > 1:
            self._numbers = json.loads(self._json)
        if self._numbers is not None:
            return self._numbers
        letters = re.escape(bytes(set(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) | {ord("\\")}))
        some = re.findall(rb'"(?:[%b]+|%b)": ?\d+' % (letters, _BYTES), self._json)
        found: Numbers = json.loads(b"{%b}" % b",".join(some))
        return found


def _encode_piece(piece: str, numbers: Numbers) -> Iterator[int]:
    for part in _merge_pairs(list(piece), numbers):
        if (number := numbers.get(part)) is not None:
            yield number
        else:
            yield from (numbers[f"<0x{byte:02X}>"] for byte in part.encode("utf-8", "replace"))


def _merge_pairs(parts: list[str], numbers: Numbers) -> list[str]:
    """Merge pairs, each time the leftmost pair with the lowest token number."""
    while len(parts) > 1:
        ranks = [_rank_token(left + right, numbers) for left, right in pairwise(parts)]
        best = min(ranks)
        if best >= 2 * _SPACE_RANK:
            break
        place = ranks.index(best)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


def _rank_token(token: str, numbers: Numbers) -> int:
    number = numbers.get(token, 0)
    if number < _FIRST_MERGED:
        return 2 * _SPACE_RANK
    return number + _SPACE_RANK if token.strip(_SPACE) == "" else number  # runs of spaces are merged last
