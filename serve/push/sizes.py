"""Sizes of contents by their hash, in sorted records of a fixed length: quick to read and to search."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .manifest import PushedFile

_HASH_BYTES, _SIZE_BYTES = 32, 4
_RECORD_BYTES = _HASH_BYTES + _SIZE_BYTES


class ContentSizes(NamedTuple):
    """Sizes of the contents of a push, which each request with contents reads in place of the manifest.

    Attributes:
        data: the records: hash and size.
    """

    data: bytes

    @classmethod
    def from_files(cls, files: Iterable[PushedFile]) -> ContentSizes:
        """Build the records of some files."""
        sizes = {bytes.fromhex(file.sha256): file.size for file in files}
        return cls(b"".join(key + sizes[key].to_bytes(_SIZE_BYTES, "big") for key in sorted(sizes)))

    def find(self, sha256: str) -> int | None:
        """Return the size of a content; None for one that is not in the push."""
        try:
            key = bytes.fromhex(sha256)
        except ValueError:
            return None
        count = len(self.data) // _RECORD_BYTES
        place = bisect_left(range(count), key, key=self._read_key)
        if place == count or self._read_key(place) != key:
            return None
        return int.from_bytes(self.data[place * _RECORD_BYTES + _HASH_BYTES : (place + 1) * _RECORD_BYTES], "big")

    def _read_key(self, place: int) -> bytes:
        return self.data[place * _RECORD_BYTES : place * _RECORD_BYTES + _HASH_BYTES]
