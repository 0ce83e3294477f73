"""Contents that the person was shown: each definition with the hashes of the files that it is made of."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

FileHashes = tuple[tuple[str, str], ...]
"""The files of a definition, its own first, each with its SHA-256: paths relative to the project, with slashes.

The path counts, not only the content: a file without a `name` is called like its file, so a harmless one that is moved
could take the place of another.
"""
MAX_VERSIONS = 20
"""Versions of a definition that are kept: worktrees of one repository have several at a time."""
MAX_DEFINITIONS = 4_000


def hash_bytes(content: bytes) -> str:
    """Hash the content of a file."""
    return hashlib.sha256(content).hexdigest()


class ShownContents:
    """Definitions that the person was shown.

    Args:
        definitions: the definitions, the newest last.
    """

    def __init__(self, definitions: Iterable[FileHashes] = ()) -> None:
        self._by_own_file: dict[tuple[str, str], list[frozenset[tuple[str, str]]]] = {}
        for files in definitions:
            self._by_own_file.setdefault(files[0], []).append(frozenset(files))
        self._files = {one for versions in self._by_own_file.values() for files in versions for one in files}
        self._paths = {path for path, _ in self._files}

    def has(self, files: FileHashes) -> bool:
        """Return whether all these files were shown together, as one definition."""
        return bool(files) and any(version.issuperset(files) for version in self._by_own_file.get(files[0], ()))

    def list_versions(self, path: str, digest: str) -> list[frozenset[tuple[str, str]]]:
        """List the versions with this content of their own file, each with all its files."""
        return self._by_own_file.get((path, digest), [])

    def has_file(self, path: str, digest: str) -> bool:
        """Return whether this content was shown at this path."""
        return (path, digest) in self._files

    def has_path(self, path: str) -> bool:
        """Return whether any content was shown at this path."""
        return path in self._paths


def merge_shown(earlier: Iterable[FileHashes], later: Iterable[FileHashes]) -> tuple[FileHashes, ...]:
    """Add definitions to those that were shown before, the newest last; leave out the oldest versions."""
    merged = dict.fromkeys(earlier)
    for files in later:
        merged.pop(files, None)
        merged[files] = None
    kept: list[FileHashes] = []
    counts: dict[str, int] = {}
    for files in reversed(merged):
        path = files[0][0]
        counts[path] = counts.get(path, 0) + 1
        if counts[path] <= MAX_VERSIONS:
            kept.append(files)
    return tuple(reversed(kept[:MAX_DEFINITIONS]))


def read_shown(value: Any) -> tuple[FileHashes, ...]:
    """Read the definitions of an entry; none of one from before they were recorded.

    Raises:
        ValueError: it is not a list of definitions.
    """
    if not isinstance(value, list):
        raise ValueError("what an entry has shown is not a list")  # noqa: TRY004 - a value of a file, not of a caller
    definitions = (tuple((str(path), str(digest)) for path, digest in files) for files in value)
    return tuple(filter(None, definitions))
