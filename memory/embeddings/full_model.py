"""Full embedding model for many texts: weights as floats, and the tokenizer library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from .pieces import PieceEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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
