"""Embedder: 256-dimension embeddings from the weights in wordllama's wheel, offline."""

from __future__ import annotations

import json
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory import embeddings

from .tokenizer import BytePairTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .full_model import FullModel

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Numbers = NDArray[np.int32]

DIMENSIONS = 256
MAX_TEXT_LENGTH = 2000
"""Characters of a text that are embedded; a mean over more tokens is less specific and costs more."""

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_lock = threading.Lock()
_loaded: list[Embedder | str] = []


class Embedder:
    """Token vectors and their tokenizer; thread-safe.

    One short text, such as a query, is embedded without the tokenizer library and directly from the file of weights.
    Anything more loads both once.

    Args:
        table: a half float for each token and dimension, as the file has them.
        tokenizer: the tokenizer's file.
    """

    def __init__(self, table: Halves, tokenizer: Path) -> None:
        self._table = table
        self._file = tokenizer
        self._short_tokenizer = BytePairTokenizer.from_file(tokenizer)
        self._lock = threading.Lock()
        self._full_model: FullModel | None = None

    def warm_up(self) -> None:
        """Load the full model that many texts need."""
        self._get_full_model()

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed each text as the normalized mean of its token vectors, as wordllama does.

        Args:
            texts: any text; only the first `MAX_TEXT_LENGTH` characters count.

        Returns:
            An array of `len(texts)` rows; a text without a token gets zeros.
        """
        out = np.zeros((len(texts), DIMENSIONS), np.float32)
        ones = np.ones(MAX_TEXT_LENGTH * 4, np.float32)  # a character has at most four bytes, and a token at least one
        weights, tokens = self._tokenize(texts)
        for row, numbers in zip(out, tokens, strict=True):
            if len(numbers):
                # The direction of the sum is that of the mean; a product adds five times faster than `mean` does.
                picked = weights.take(numbers, axis=0).astype(np.float32, copy=False)
                np.matmul(ones[: len(numbers)], picked, out=row)
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, lengths, out=out, where=lengths > 0)
        return out

    def _tokenize(self, texts: Sequence[str]) -> tuple[Floats | Halves, Sequence[Sequence[int] | Numbers]]:
        """Return the table of token vectors, and the tokens of each text."""
        if self._full_model is None and len(texts) == 1 and self._short_tokenizer.can_encode(texts[0]):
            return self._table, [self._short_tokenizer.encode(texts[0])]
        model = self._get_full_model()
        return model.weights, model.encode([text[:MAX_TEXT_LENGTH] for text in texts])

    def _get_full_model(self) -> FullModel:
        with self._lock:
            if self._full_model is None:
                self._full_model = embeddings.FullModel(self._table, self._file)
            return self._full_model


def get_embedder() -> Embedder | None:
    """Return the embedder, loaded on first use; None on failure, see `get_load_error`."""
    with _lock:
        if not _loaded:
            try:
                _loaded.append(_load_embedder())
            except Exception as error:  # noqa: BLE001 - whatever is wrong with the library, the search uses terms
                _loaded.append(f"{type(error).__name__}: {error}")
        first = _loaded[0]
    return first if isinstance(first, Embedder) else None


def get_load_error() -> str:
    """Return the reason why there are no embeddings; empty when there are."""
    return "" if get_embedder() else str(_loaded[0])


def quantize_vectors(vectors: Floats) -> list[bytes | None]:
    """Quantize each vector to 256 signed bytes; None for a zero vector.

    The largest component becomes 127. Only the direction is preserved: a reader normalizes the length.
    """
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.rint(vectors * (127 / np.where(peaks > 0, peaks, 1))).astype(np.int8)
    return [row.tobytes() if peak > 0 else None for row, peak in zip(scaled, peaks[:, 0], strict=True)]


def embed_quantized(texts: Sequence[str]) -> list[bytes | None]:
    """Embed and quantize texts; None for each when there is no embedder."""
    model = get_embedder()
    return quantize_vectors(model.embed(texts)) if model and texts else [None] * len(texts)


def find_highest_cosines(texts: Sequence[str], others: Sequence[str]) -> list[float]:
    """Find for each text its highest cosine with one of the others; 0 when there is no embedder."""
    model = get_embedder()
    if not model or not others:
        return [0.0] * len(texts)
    # One at a time: a single short text needs neither the tokenizer library nor all weights, which several would
    # load.
    rows = np.stack([model.embed([text])[0] for text in others])
    return [float(np.einsum("ij,j->i", rows, model.embed([text])[0]).max()) for text in texts]


def _load_embedder() -> Embedder:
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
        raise ValueError(f"{weights.name} has {tensor['dtype']} {tensor['shape']}, not half floats by {DIMENSIONS}")
    table = np.memmap(
        weights, np.float16, "r", offset=8 + length + tensor["data_offsets"][0], shape=tuple(tensor["shape"])
    )
    return Embedder(table, folder / _TOKENIZER)
