"""Left-out files that an indexing has read: as long as they do not change, they are not new."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory.files import SourceFile
    from aurora.memory.model.reports import SkippedFile
    from aurora.memory.storage.store import Tables

_KEY = "left_out"
_FORMAT = "1"
"""Version of the stored form and of the reasons; the states of another version are not read."""
_MAX_STORED = 10_000
"""Files that are remembered; they take 120 kB, which each search reads with the other metadata."""
_DIGEST_BYTES = 6
_DIGITS = 2 * _DIGEST_BYTES
_LASTING_REASONS = frozenset({"binary", "generated", "huge", "lfs", "name", "secret"})
"""Reasons that only a change of the file or of the rules removes; rights and links change without the file's time."""


def hash_state(file: SourceFile) -> str:
    """Hash path, size and time of a file as discovery found it."""
    state = f"{file.size} {file.mtime_ns} {file.path}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(state, digest_size=_DIGEST_BYTES).hexdigest()


def select_left_out(files: Iterable[SourceFile], skipped: Iterable[SkippedFile]) -> list[str]:
    """Return the states of the files that were skipped for a reason that lasts.

    Args:
        files: files as discovery found them before they were read.
        skipped: the skipped ones among them, and others.
    """
    left_out = {one.path for one in skipped if one.reason in _LASTING_REASONS}
    return [hash_state(file) for file in files if file.path in left_out]


def read_left_out(db: Tables, rules: str) -> frozenset[str]:
    """Read the states of the left-out files; none when they were read by other rules.

    Args:
        db: the tables of a transaction.
        rules: key of the rules for secrets.
    """
    key, _, states = (db.meta.get(_KEY) or "").rpartition(" ")
    if key != f"{_FORMAT}:{rules}":
        return frozenset()
    return frozenset(states[start : start + _DIGITS] for start in range(0, len(states), _DIGITS))


def store_left_out(db: Tables, rules: str, states: Iterable[str], *, whole: bool) -> None:
    """Store the states of left-out files.

    Args:
        db: the tables of a write transaction.
        rules: key of the rules for secrets by which they were read.
        states: as `select_left_out` returns them.
        whole: True to replace the stored ones; False adds, and what changed since does no harm.
    """
    before = read_left_out(db, rules)
    after = frozenset(states) if whole else before.union(states)
    if after != before:
        db.meta.update(**{_KEY: f"{_FORMAT}:{rules} {''.join(sorted(after)[:_MAX_STORED])}"})
