"""A short text's tokens, the same as the tokenizer library finds, without the tenth of a second that loading it takes.

The library reads every merge of the vocabulary (61,249 of them) before the first word. In this vocabulary they stand in
the order of the tokens that they make, so the vocabulary alone says which pair is joined first. And of its 32,000
tokens only those can be in a text that are made of the text's own letters: the others are not even read, until a
second text comes.
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
"""Characters of a text that is worth taking apart here; joining is quadratic in the length of a word."""

_SPACE = "▁"
_PIECE = re.compile(f"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")
"""No token goes on from another character to a space, so what stands before a space is joined by itself."""
_SPECIAL = ("<unk>", "<s>", "</s>")
_SPACE_RANK = 1 << 20
_FIRST_MERGED = 259
"""What comes before are the special tokens and the 256 bytes."""
_BYTES = rb"<0x[0-9A-F]{2}>"


class BytePairTokenizer:
    """Byte-pair encoding as Llama 2's vocabulary has it (Sennrich et al. 2016, https://arxiv.org/abs/1508.07909).

    Args:
        vocabulary: every token with its number, as JSON.
    """

    def __init__(self, vocabulary: bytes) -> None:
        self._json = vocabulary
        self._calls = 0
        self._numbers: Numbers | None = None

    @classmethod
    def from_file(cls, file: Path) -> BytePairTokenizer:
        """The vocabulary out of a tokenizer's file, and nothing else of it.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not of the kind that is understood here.
        """
        data = file.read_bytes()
        begin, end = data.find(b"{", data.find(b'"vocab"')), data.find(b'"merges"')
        if b'"byte_fallback": true' not in data[:begin] or end < 0:
            raise ValueError(f"{file.name} is no byte-pair vocabulary that falls back to bytes")
        return cls(data[begin : data.rfind(b"}", begin, end) + 1])

    def can_encode(self, text: str) -> bool:
        """Whether it is worth taking apart here; the signs of the special tokens are the library's business."""
        return len(text) <= MAX_LENGTH and not any(sign in text for sign in _SPECIAL)

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens of a text; none for an empty one."""
        spaced = _SPACE + text.replace(" ", _SPACE) if text else ""
        numbers = self._select_vocabulary(spaced)
        return [number for piece in _PIECE.findall(spaced) for number in _encode_piece(piece, numbers)]

    def _select_vocabulary(self, text: str) -> Numbers:
        """The tokens that may be in this text, and perhaps more; from the second text on the whole vocabulary."""
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
    """The parts after every join, each time the pair whose token comes first, and the leftmost of these."""
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
    return number + _SPACE_RANK if token.strip(_SPACE) == "" else number  # runs of spaces are joined last
