"""Frames of the write-ahead log, and which of them are intact (sqlite.org/fileformat2.html, 4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .log_header import (
    BYTE_ORDERS,
    FRAME_BYTES,
    FRAME_HEADER_BYTES,
    LOG_HEADER,
    LOG_HEADER_BYTES,
    PAGE_SIZE,
    find_byte_order,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1024
_LOW = np.uint64(0xFFFFFFFF)


class LogFrames(NamedTuple):
    """Frames of the last generation of a log; older ones behind them are left out.

    Attributes:
        has_header: the header matches its checksum, and the page size is that of Aurora.
        pages: the number of the page in each frame.
        sizes: the pages of the database after the transaction that the frame ends; 0 for any other frame.
        intact: the frame matches its own checksum, which begins with the one stored in the frame before.
        is_cut: the log ends in a part of a frame.
    """

    has_header: bool
    pages: NDArray[np.uint32]
    sizes: NDArray[np.uint32]
    intact: NDArray[np.bool_]
    is_cut: bool

    @property
    def broken_count(self) -> int:
        """Number of frames that do not match their checksum."""
        return int((~self.intact).sum())

    @property
    def has_lost_commits(self) -> bool:
        """SQLite ignores an intact transaction, since a frame before it or the header is damaged.

        A process that is killed while it writes leaves no intact frame behind a damaged one.
        """
        commits = np.flatnonzero(self.intact & (self.sizes > 0))
        return bool(len(commits)) and (not self.has_header or bool((~self.intact[: commits[-1]]).any()))

    @staticmethod
    def locate_page(number: int) -> int:
        """Return the offset in bytes of the page in the frame with this number, which counts from 0."""
        return LOG_HEADER_BYTES + number * FRAME_BYTES + FRAME_HEADER_BYTES


def read_frames(body: bytes) -> LogFrames:
    """Find the frames of a log, also when its header is damaged."""
    order = find_byte_order(body)
    if order is not None:
        header = LOG_HEADER.unpack_from(body)
        return _read_generation(body, order, header[4:6], has_header=header[2] == PAGE_SIZE)
    orders = [_read_generation(body, order, None, has_header=False) for order in BYTE_ORDERS.values()]
    return max(orders, key=_count_intact)


def _count_intact(frames: LogFrames) -> int:
    return int(frames.intact.sum())


def _read_generation(body: bytes, order: str, salts: tuple[int, ...] | None, *, has_header: bool) -> LogFrames:
    """Read the frames with these salts; those of the first frame if the header is damaged."""
    count, rest = divmod(max(len(body) - LOG_HEADER_BYTES, 0), FRAME_BYTES)
    raw = np.frombuffer(body, np.uint8, count * FRAME_BYTES, LOG_HEADER_BYTES if count else 0)
    frames = raw.reshape(count, FRAME_BYTES)
    heads = np.ascontiguousarray(frames[:, :FRAME_HEADER_BYTES]).view(">u4").astype(np.uint32)
    if salts is None:
        salts = tuple(heads[0, 2:4].tolist()) if count else (0, 0)
    is_current = (heads[:, 2:4] == np.array(salts, np.uint32)).all(axis=1)
    is_cut = rest > 0 and (not count or bool(is_current[-1]))
    count = int(np.flatnonzero(is_current)[-1]) + 1 if is_current.any() else 0
    before = np.vstack([np.frombuffer(body[24:32].ljust(8, b"\0"), ">u4").astype(np.uint32), heads[:, 4:6]])[:count]
    sums = _add_checksums(frames[:count], before, order)
    intact = is_current[:count] & (sums == heads[:count, 4:6]).all(axis=1)
    return LogFrames(has_header, heads[:count, 0], heads[:count, 1], intact, is_cut)


def _add_checksums(frames: NDArray[np.uint8], before: NDArray[np.uint32], order: str) -> NDArray[np.uint32]:
    """Compute the checksum of each frame, which begins with the one of the frame before it.

    The checksum is linear: each pair of words (a, b) turns (x, y) into (x + y + a, x + 2y + a + b), modulo 2**32.
    """
    weights, powers = _get_weights()
    found = np.empty_like(before)
    for at in range(0, len(frames), _BLOCK):
        block = frames[at : at + _BLOCK]
        parts = np.concatenate([block[:, :8], block[:, FRAME_HEADER_BYTES:]], axis=1)
        words = parts.view(f"{order}u4").astype(np.uint64)
        sums = words @ weights + before[at : at + _BLOCK].astype(np.uint64) @ powers
        found[at : at + _BLOCK] = sums & _LOW
    return found


@cache
def _get_weights() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the weights of a frame's words, shape (1026, 2), and of the checksum before it, (2, 2)."""
    x, y, rows = (1, 0), (0, 1), []  # the state after k pairs as weights of the state before them
    for _ in range((8 + PAGE_SIZE) // 8):
        weight_b = y
        weight_a = (x[0] + y[0]) & 0xFFFFFFFF, (x[1] + y[1]) & 0xFFFFFFFF
        rows += [weight_b, weight_a]
        x, y = weight_a, ((weight_a[0] + y[0]) & 0xFFFFFFFF, (weight_a[1] + y[1]) & 0xFFFFFFFF)
    return np.array(rows[::-1], np.uint64), np.array([x, y], np.uint64)
