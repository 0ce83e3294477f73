"""Check of a log before SQLite reads it.

Most logs have few frames to check. They need no numpy, which takes 70 ms to import and 20 MB of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from aurora.memory.sqlite.errors import build_damage_fault

from .header import read_change_counter, read_header
from .log_header import (
    FRAME_BYTES,
    FRAME_HEADER_BYTES,
    LOG_HEADER,
    LOG_HEADER_BYTES,
    MAX_OTHER_FRAMES,
    PAGE_SIZE,
    add_checksum,
    find_byte_order,
)

if TYPE_CHECKING:
    from pathlib import Path

MAX_FRAMES = 500
"""Frames of the last generation that are checked one by one, 0.1 ms each; numpy is faster for more."""


def check_log(database: Path) -> None:
    """Raise a fault for a damaged log, by which SQLite loses changes without an error.

    Raises:
        Fault: UPSTREAM_ERROR for committed changes that are lost, or for the log of another database.
        OSError, apsw.Error: a file cannot be read.
    """
    if is_short_and_intact(database):
        return
    from .log import find_log_damage  # noqa: PLC0415 - it loads numpy

    damage = find_log_damage(database)
    if damage is not None:
        raise build_damage_fault(database, damage)


def is_short_and_intact(database: Path) -> bool:
    """Return True if the log has few frames, all intact; False leaves the judgement to `find_log_damage`.

    Raises:
        OSError, apsw.Error: a file cannot be read.
    """
    if not database.exists():
        return True
    try:
        with database.with_name(f"{database.name}-wal").open("rb") as log:
            head = log.read(LOG_HEADER_BYTES)
            if not head.strip(b"\0"):
                return True
            counters = _read_counters(log, head)
    except FileNotFoundError:  # the last process that had it open removed it
        return True
    if counters is None:
        return False
    return not counters or counters[0] - 1 <= read_change_counter(read_header(database)) <= counters[-1]


def _read_counters(log: BinaryIO, head: bytes) -> list[int] | None:
    """Read the change counters in the log, in order; None for a log that is long or not intact."""
    order = find_byte_order(head)
    if order is None or LOG_HEADER.unpack(head)[2] != PAGE_SIZE:
        return None
    salts, sums = head[16:24], LOG_HEADER.unpack(head)[6:8]
    counters: list[int] = []
    for _ in range(MAX_FRAMES):
        frame = log.read(FRAME_BYTES)
        if frame[8:16] != salts:
            return counters if _has_old_frames_only(log, frame, salts) else None
        if len(frame) < FRAME_BYTES:
            return None
        sums = add_checksum(add_checksum(sums, frame[:8], order), frame[FRAME_HEADER_BYTES:], order)
        if sums != (int.from_bytes(frame[16:20], "big"), int.from_bytes(frame[20:24], "big")):
            return None
        if int.from_bytes(frame[:4], "big") == 1:
            counters.append(read_change_counter(frame[FRAME_HEADER_BYTES:]))
    return None


def _has_old_frames_only(log: BinaryIO, frame: bytes, salts: bytes) -> bool:
    """Return whether neither a frame nor one close behind it has the salts of the last generation."""
    for _ in range(MAX_OTHER_FRAMES):
        if len(frame) < FRAME_HEADER_BYTES:
            break
        if frame[8:16] == salts:
            return False
        if len(frame) == FRAME_HEADER_BYTES:
            log.seek(PAGE_SIZE, 1)
        frame = log.read(FRAME_HEADER_BYTES)
    return True
