"""Meaning as numbers: 256-dimension embeddings from the weights in wordllama's wheel, offline."""

from __future__ import annotations

import json
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tokenizer import BytePairTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]

DIMENSIONS = 256
MAX_TEXT_LENGTH = 2000
"""Characters of a text that are embedded; a mean over more tokens says less, and costs more."""

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_lock = threading.Lock()
_loaded: list[Embedder | str] = []


class Embedder:
    """Token vectors and the tokenizer that goes with them; safe from several threads.

    One short text, as a search brings it, is embedded without the tokenizer's library and straight from the file of
    weights. Whatever is more loads both once.

    Args:
        table: a half float for each token and dimension, as the file has them.
        tokenizer: the tokenizer's file.
    """

    def __init__(self, table: Halves, tokenizer: Path) -> None:
        self._table = table
        self._file = tokenizer
        self._short_tokenizer = BytePairTokenizer.from_file(tokenizer)
        self._lock = threading.Lock()
        self._full_model: tuple[Floats, Any] | None = None

    def warm_up(self) -> None:
        """Load what many texts need."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never embed anything
        from tokenizers import Tokenizer  # noqa: PLC0415 - as above

        with self._lock:
            if self._full_model is None:
                tokenizer = Tokenizer.from_file(str(self._file))
                tokenizer.no_padding()
                tokenizer.no_truncation()
                self._full_model = self._table.astype(np.float32), tokenizer

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector of length 1 for each text: the mean over its tokens' vectors, as wordllama's own `embed` has it.

        Args:
            texts: any text; what lies beyond `LONGEST` characters is not looked at.

        Returns:
            An array of `len(texts)` rows; a text without a token gets zeros.
        """
        import numpy as np  # noqa: PLC0415 - as above

        out = np.zeros((len(texts), DIMENSIONS), np.float32)
        ones = np.ones(MAX_TEXT_LENGTH * 4, np.float32)  # a character has at most four bytes, and a token at least one
        weights, tokens = self._tokenize(texts)
        for row, numbers in zip(out, tokens, strict=True):
            if numbers:
                # The direction of the sum is that of the mean; a product adds five times faster than `mean` does.
                picked = weights.take(numbers, axis=0).astype(np.float32, copy=False)
                np.matmul(ones[: len(numbers)], picked, out=row)
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, lengths, out=out, where=lengths > 0)
        return out

    def _tokenize(self, texts: Sequence[str]) -> tuple[Floats | Halves, Iterable[list[int]]]:
        """The vectors to pick from, and the tokens of each text."""
        if self._full_model is None and len(texts) == 1 and self._short_tokenizer.can_encode(texts[0]):
            return self._table, [self._short_tokenizer.encode(texts[0])]
        self.warm_up()
        assert self._full_model is not None  # noqa: S101 - for the type checker; `warm` has set it
        weights, tokenizer = self._full_model
        encodings = tokenizer.encode_batch_fast([text[:MAX_TEXT_LENGTH] for text in texts], add_special_tokens=False)
        return weights, (encoding.ids for encoding in encodings)


def get_embedder() -> Embedder | None:
    """The embedder, opened on first use; None when it cannot be had, and `trouble` then says why."""
    with _lock:
        if not _loaded:
            try:
                _loaded.append(_load_embedder())
            # Whatever is wrong with an optional library, words alone still answer; the note tells the person.
            except Exception as error:  # noqa: BLE001
                _loaded.append(f"{type(error).__name__}: {error}")
        first = _loaded[0]
    return first if isinstance(first, Embedder) else None


def get_load_error() -> str:
    """Why there are no embeddings; empty when there are."""
    return "" if get_embedder() else str(_loaded[0])


def quantize_vectors(vectors: Floats) -> list[bytes | None]:
    """Each vector as 256 signed bytes, a quarter of its size; None for one of zeros.

    The largest component becomes 127. Only the direction is kept: a reader divides by the length.
    """
    import numpy as np  # noqa: PLC0415 - as above

    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.rint(vectors * (127 / np.where(peaks > 0, peaks, 1))).astype(np.int8)
    return [row.tobytes() if peak > 0 else None for row, peak in zip(scaled, peaks[:, 0], strict=True)]


def embed_quantized(texts: Sequence[str]) -> list[bytes | None]:
    """The texts embedded and packed; None for each when there is no embedder."""
    model = get_embedder()
    return quantize_vectors(model.embed(texts)) if model and texts else [None] * len(texts)


def _load_embedder() -> Embedder:
    import numpy as np  # noqa: PLC0415 - as above

    # `import wordllama` costs another 0.2 s (requests, its C extensions) for nothing that is needed here.
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("wordllama is not installed")
    folder = Path(spec.origin).parent
    weights = folder / _WEIGHTS
    with weights.open("rb") as file:
        # https://huggingface.co/docs/safetensors: 8 bytes of length, a JSON header, the tensors
        length = int.from_bytes(file.read(8), "little")
        tensor = json.loads(file.read(length))["embedding.weight"]
    if tensor["dtype"] != "F16" or tensor["shape"][1] != DIMENSIONS:
        raise ValueError(f"{weights.name} holds {tensor['dtype']} {tensor['shape']}, not half floats by {DIMENSIONS}")
    table = np.memmap(
        weights, np.float16, "r", offset=8 + length + tensor["data_offsets"][0], shape=tuple(tensor["shape"])
    )
    return Embedder(table, folder / _TOKENIZER)
