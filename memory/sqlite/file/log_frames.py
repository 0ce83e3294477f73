"""Frames of the write-ahead log, and which of them are intact (sqlite.org/fileformat2.html, 4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from aurora.faults import check_cancelled

from .log_header import (
    BYTE_ORDERS,
    FRAME_BYTES,
    FRAME_HEADER_BYTES,
    LOG_HEADER,
    LOG_HEADER_BYTES,
    MAX_OTHER_FRAMES,
    PAGE_SIZE,
    find_byte_order,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIELDS = 4
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


def read_frames(log: BinaryIO) -> LogFrames:
    """Find the frames of a log, also when its header is damaged; read it block by block."""
    log.seek(0)
    head = log.read(LOG_HEADER_BYTES)
    order = find_byte_order(head)
    if order is not None:
        header = LOG_HEADER.unpack(head)
        return _read_generation(log, order, header[4:6], has_header=header[2] == PAGE_SIZE)
    orders = [_read_generation(log, order, None, has_header=False) for order in BYTE_ORDERS.values()]
    return max(orders, key=_count_intact)


def _count_intact(frames: LogFrames) -> int:
    return int(frames.intact.sum())


def _read_generation(log: BinaryIO, order: str, salts: tuple[int, ...] | None, *, has_header: bool) -> LogFrames:
    """Read the frames with these salts; those of the first frame if the header is damaged."""
    log.seek(LOG_HEADER_BYTES - 8)
    before = np.frombuffer(log.read(8).ljust(8, b"\0"), ">u4").astype(np.uint32)  # the checksum of the header
    fields, rest = [np.empty((0, _FIELDS), np.uint32)], 0
    while body := log.read(MAX_OTHER_FRAMES * FRAME_BYTES):  # 4 MB; of each frame, 16 bytes are kept
        check_cancelled()
        count, rest = divmod(len(body), FRAME_BYTES)
        if count:
            frames = np.frombuffer(body, np.uint8, count * FRAME_BYTES).reshape(count, FRAME_BYTES)
            heads = np.ascontiguousarray(frames[:, :FRAME_HEADER_BYTES]).view(">u4").astype(np.uint32)
            salts = salts or tuple(heads[0, 2:4].tolist())
            is_current = (heads[:, 2:4] == np.array(salts, np.uint32)).all(axis=1)
            if not is_current.any() or not any(salts):  # the hole of a file that was extended
                return _select_current(np.concatenate(fields), has_header=has_header, has_rest=False)
            sums = _add_checksums(frames, np.vstack([before, heads[:-1, 4:6]]), order)
            is_intact = is_current & (sums == heads[:, 4:6]).all(axis=1)
            fields.append(np.column_stack([heads[:, :2], is_current, is_intact]))
            before = heads[-1, 4:6]
    return _select_current(np.concatenate(fields), has_header=has_header, has_rest=rest > 0)


def _select_current(fields: NDArray[np.uint32], *, has_header: bool, has_rest: bool) -> LogFrames:
    """Select the frames up to the last of the generation from page, size, is current and is intact of all."""
    is_current = fields[:, 2] > 0
    is_cut = has_rest and (not len(fields) or bool(is_current[-1]))
    count = int(np.flatnonzero(is_current)[-1]) + 1 if is_current.any() else 0
    return LogFrames(has_header, fields[:count, 0], fields[:count, 1], fields[:count, 3] > 0, is_cut)


def _add_checksums(frames: NDArray[np.uint8], before: NDArray[np.uint32], order: str) -> NDArray[np.uint32]:
    """Compute the checksum of each frame, which begins with the one of the frame before it.

    The checksum is linear: each pair of words (a, b) turns (x, y) into (x + y + a, x + 2y + a + b), modulo 2**32.
    """
    weights, powers = _get_weights()
    parts = np.concatenate([frames[:, :8], frames[:, FRAME_HEADER_BYTES:]], axis=1)
    words = parts.view(f"{order}u4").astype(np.uint64)
    found: NDArray[np.uint64] = (words @ weights + before.astype(np.uint64) @ powers) & _LOW
    return found.astype(np.uint32)


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
