"""Vectors of facts and patterns by the model of the extra `semantic`."""

from __future__ import annotations

import contextlib
import hashlib
import stat
import threading
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.embeddings import SEMANTIC_DIMENSIONS, compute_cosines, get_semantic_model, quantize_vectors
from aurora.system.files import write_atomically

from .scores import Similarities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory.embeddings import SemanticModel
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage.store import Store, Tables

MAX_NEW = 8_000
"""Characters of new records that one search embeds, in less than a second; the next search embeds further ones."""
MAX_NEW_AHEAD = 150_000
"""Characters of new records that are embedded ahead of the first search."""
_MAX_TEXT = 2_000
"""Characters of a record that are embedded; the model reads its first 256 tokens."""
_BATCH = 100
_MAX_BYTES = 100_000_000
_MAGIC = b"aurora record vectors 1\n"
_KEY_SIZE = 16
_ROW_SIZE = _KEY_SIZE + SEMANTIC_DIMENSIONS


class RecordVectors:
    """Vectors of all records by chunk number; thread-safe.

    The file is a cache: a missing or damaged one costs time and nothing else. A search after a record was forgotten
    removes its vector.

    Args:
        store: the store; its path gives that of the file.
    """

    def __init__(self, store: Store) -> None:
        self._path = store.path.with_name(f"{store.path.name}.vectors")
        self._is_read_only = store.read_only
        self._lock = threading.Lock()
        self._vectors: dict[bytes, bytes] | None = None
        self._numbers = np.zeros(0, np.int64)
        self._rows = np.zeros((0, SEMANTIC_DIMENSIONS), np.int8)
        self._generation = -1

    def compare(self, db: Tables, generation: int, text: str) -> Similarities | None:
        """Compute the cosines of a question and all records.

        Returns:
            None without the extra, without records, and until all records are embedded: a part would rank before the
            rest.
        """
        model = get_semantic_model()
        if model is None or not self.refresh(db, generation):
            return None
        with self._lock:
            numbers, rows = self._numbers, self._rows
        return Similarities(numbers, compute_cosines(rows, model.embed([text])[0])) if len(numbers) else None

    def refresh(self, db: Tables, generation: int, max_new: int = MAX_NEW) -> bool:
        """Load the state of `db`'s read transaction; embed at most `max_new` characters, or one record.

        Returns:
            True when all records are embedded.
        """
        model = get_semantic_model()
        if model is None:
            return False
        with self._lock:
            if generation > self._generation:
                keys = {n: _compute_key(chunk) for n, chunk in db.chunks.iter_records()}
                is_complete = self._update(db, keys, model, max_new)
                self._generation = generation if is_complete else -1
            return self._generation >= generation

    def _update(self, db: Tables, keys: Mapping[int, bytes], model: SemanticModel, max_new: int) -> bool:
        """Take or compute the vectors of these records; return False when some are missing."""
        known = _read_file(self._path) if self._vectors is None else self._vectors
        texts = _read_new_texts(db, [n for n, key in keys.items() if key not in known], max_new)
        packed = quantize_vectors(model.embed(list(texts.values())))
        embedded = {keys[n]: body or bytes(SEMANTIC_DIMENSIONS) for n, body in zip(texts, packed, strict=True)}
        self._vectors = {key: body for key in keys.values() if (body := embedded.get(key) or known.get(key))}
        present = sorted((n, self._vectors[key]) for n, key in keys.items() if key in self._vectors)
        self._numbers = np.array([n for n, _ in present], np.int64)
        self._rows = np.frombuffer(b"".join(body for _, body in present), np.int8).reshape(-1, SEMANTIC_DIMENSIONS)
        if self._vectors.keys() != known.keys() and not self._is_read_only:
            _write_file(self._path, self._vectors)
        return len(present) == len(keys)


def _read_new_texts(db: Tables, numbers: Sequence[int], max_chars: int) -> dict[int, str]:
    """Read the texts of these records, latest first, up to a number of characters, but at least one."""
    texts: dict[int, str] = {}
    for start in range(len(numbers), 0, -_BATCH):
        chunks = db.chunks.get_by_number(numbers[max(start - _BATCH, 0) : start])
        for n, chunk in sorted(chunks.items(), reverse=True):
            texts[n] = _format_text(chunk)
            max_chars -= len(texts[n])
            if max_chars <= 0:
                return texts
    return texts


def _format_text(chunk: Chunk) -> str:
    """Format the text to embed: the subject, unless the text begins with it, and the text."""
    is_repeated = chunk.text.startswith(chunk.symbol.rstrip(" …"))
    return (chunk.text if is_repeated else f"{chunk.symbol}\n{chunk.text}")[:_MAX_TEXT]


def _compute_key(chunk: Chunk) -> bytes:
    return hashlib.blake2b(_format_text(chunk).encode("utf-8", "replace"), digest_size=_KEY_SIZE).digest()


def _read_file(path: Path) -> dict[bytes, bytes]:
    """Read the vectors by key; none from a file that is missing, damaged or of another version."""
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > _MAX_BYTES:
            return {}
        content = path.read_bytes()
    except OSError:
        return {}
    body, digest = content[len(_MAGIC) : -_KEY_SIZE], content[-_KEY_SIZE:]
    if not content.startswith(_MAGIC) or len(body) % _ROW_SIZE or _hash(body) != digest:
        return {}
    rows = (body[start : start + _ROW_SIZE] for start in range(0, len(body), _ROW_SIZE))
    return {row[:_KEY_SIZE]: row[_KEY_SIZE:] for row in rows}


def _write_file(path: Path, vectors: Mapping[bytes, bytes]) -> None:
    """Replace the file at once; where that fails, the vectors are computed again."""
    body = b"".join(key + row for key, row in vectors.items())
    with contextlib.suppress(OSError):
        write_atomically(path, _MAGIC + body + _hash(body), mode=0o600)


def _hash(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_KEY_SIZE).digest()
