"""Full embedding model for many texts: weights as floats, and the tokenizer library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


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
        self.weights: NDArray[np.float32] = table.astype(np.float32)

    def encode(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Encode each text as token numbers, without special tokens."""
        for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False):
            yield encoding.ids
