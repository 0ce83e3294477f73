"""Content of the write-ahead log, read without opening the database."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from .header import HEADER_BYTES, read_change_counter, read_header
from .log_frames import LogFrames, read_frames
from .log_header import LOG_HEADER_BYTES, PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOST = "the changes written last are lost"


def apply_damaged_log(image: BinaryIO, log: Path) -> list[str]:
    """Copy the page of every intact frame up to the last one that ends a transaction.

    Args:
        image: the database, which gets the pages.
        log: the log.

    Returns:
        What is lost: pages that are as they were before, since no intact frame has their last change.
    """
    with log.open("rb") as body:
        if not body.read(LOG_HEADER_BYTES).strip(b"\0"):
            return []
        frames = read_frames(body)
        end = _copy_pages(image, body, frames)
    newer: set[int] = set()
    stale = 0
    for number in range(end - 1, -1, -1):
        page = int(frames.pages[number])
        stale += not frames.intact[number] and page not in newer
        newer.add(page)
    lost = [f"the last change of {stale:,} pages: its frames in the log are damaged"] if stale else []
    if frames.is_cut or not frames.intact[end:].all():
        lost.append("the last transaction in the log, which is incomplete or damaged")
    if not end and not frames.has_header:
        lost.append("the changes in the log, which is damaged as a whole")
    return lost


def _copy_pages(image: BinaryIO, body: BinaryIO, frames: LogFrames) -> int:
    """Copy the intact frames up to the last that ends a transaction; return the number of frames up to it."""
    commits = np.flatnonzero(frames.intact & (frames.sizes > 0))
    if not len(commits):
        return 0
    end = int(commits[-1]) + 1
    most = image.seek(0, os.SEEK_END) // PAGE_SIZE + end  # no log adds more pages than it has frames
    for number in np.flatnonzero(frames.intact[:end]).tolist():
        page = int(frames.pages[number])
        if 0 < page <= most:
            body.seek(frames.locate_page(number))
            image.seek((page - 1) * PAGE_SIZE)
            image.write(body.read(PAGE_SIZE))
    image.truncate(min(int(frames.sizes[end - 1]), most) * PAGE_SIZE)
    return end


def find_log_damage(database: Path) -> str | None:
    """Describe damage of a log by which committed changes are lost; None for an intact log.

    Another process may write meanwhile, so what is found must be the same when it is read again.

    Raises:
        OSError, apsw.Error: a file cannot be read.
    """
    found = _describe_damage(database)
    return found if found is not None and found == _describe_damage(database) else None


def find_log_end(database: Path) -> str | None:
    """Describe an end of the log that does not match its checksums; None for an intact log.

    A process that was killed while it wrote leaves the same as damage of the transaction written last.
    """
    found = _describe_end(database)
    return found if found is not None and found == _describe_end(database) else None


def _describe_end(database: Path) -> str | None:
    with _open_log(database) as log:
        frames = read_frames(log) if log is not None else None
    if frames is None or frames.has_lost_commits or not (frames.broken_count or frames.is_cut):
        return None
    return f"the end of the log is incomplete or damaged: a process was killed while it wrote, or {_LOST}"


@contextmanager
def _open_log(database: Path) -> Iterator[BinaryIO | None]:
    """Open the log of a database; None for an empty or a missing one."""
    try:
        with database.with_name(f"{database.name}-wal").open("rb") as log:
            yield log if log.seek(0, os.SEEK_END) else None
    except FileNotFoundError:  # the last process that had it open removed it
        yield None


def _describe_damage(database: Path) -> str | None:
    if not database.exists():
        return None
    head = read_header(database)
    with _open_log(database) as log:
        return _describe_log_damage(database, head, log) if log is not None else None


def _describe_log_damage(database: Path, head: bytes, log: BinaryIO) -> str | None:
    log.seek(0)
    if not log.read(LOG_HEADER_BYTES).strip(b"\0"):
        return None
    frames = read_frames(log)
    total = len(frames.pages)
    if not frames.has_header:
        return f"the header of its log is damaged, and {total:,} frames in the log are ignored: {_LOST}"
    if frames.has_lost_commits:
        return f"{frames.broken_count:,} of {total:,} frames in its log are damaged: {_LOST}"
    is_still = head == read_header(database)  # else another process copies the log into the database meanwhile
    if is_still and not _is_of_database(head, log, frames):
        return "its log belongs to another database"
    return None


def _is_of_database(head: bytes, log: BinaryIO, frames: LogFrames) -> bool:
    """Check that the change counter of the database is one that a page of the log follows or has.

    The log begins when all changes before it are in the database, and each transaction that changes the first page
    adds 1 to the counter.
    """
    numbers = np.flatnonzero(frames.intact & (frames.pages == 1)).tolist()
    if not numbers:
        return True
    first, last = (_read_logged_counter(log, frames.locate_page(number)) for number in (numbers[0], numbers[-1]))
    return first - 1 <= read_change_counter(head) <= last


def _read_logged_counter(log: BinaryIO, place: int) -> int:
    log.seek(place)
    return read_change_counter(log.read(HEADER_BYTES))
