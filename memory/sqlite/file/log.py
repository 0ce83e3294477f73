"""Content of the write-ahead log, read without opening the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .header import read_change_counter, read_header
from .log_frames import LogFrames, read_frames
from .log_header import PAGE_SIZE

if TYPE_CHECKING:
    from pathlib import Path

_LOST = "the changes written last are lost"


def apply_log(image: bytearray, log: Path) -> None:
    """Copy the pages of all committed transactions in a log into the image of its database.

    A frame whose checksum is wrong ends the log, as for SQLite.

    Raises:
        OSError: the log cannot be read.
    """
    body = log.read_bytes()
    frames = read_frames(body)
    if frames.has_header:
        broken = np.flatnonzero(~frames.intact)
        _copy_pages(image, body, frames, int(broken[0]) if len(broken) else len(frames.pages))


def apply_damaged_log(image: bytearray, body: bytes) -> list[str]:
    """Copy the page of every intact frame up to the last one that ends a transaction.

    Args:
        image: the database, which gets the pages.
        body: the log.

    Returns:
        What is lost: pages that are as they were before, since no intact frame has their last change.
    """
    if not body[:32].strip(b"\0"):
        return []
    frames = read_frames(body)
    end = _copy_pages(image, body, frames, len(frames.pages))
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


def _copy_pages(image: bytearray, body: bytes, frames: LogFrames, count: int) -> int:
    """Copy the first frames up to the last that ends a transaction; return their number."""
    commits = np.flatnonzero(frames.intact[:count] & (frames.sizes[:count] > 0))
    if not len(commits):
        return 0
    end = int(commits[-1]) + 1
    _resize(image, max(len(image), int(frames.sizes[commits].max()) * PAGE_SIZE))
    for number in np.flatnonzero(frames.intact[:end]).tolist():
        at, place = (int(frames.pages[number]) - 1) * PAGE_SIZE, frames.locate_page(number)
        if 0 <= at < len(image):
            image[at : at + PAGE_SIZE] = body[place : place + PAGE_SIZE]
    _resize(image, int(frames.sizes[end - 1]) * PAGE_SIZE)
    return end


def _resize(image: bytearray, size: int) -> None:
    del image[size:]
    image.extend(bytes(size - len(image)))


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
    frames = _read_log(database)[1]
    if frames is None or frames.has_lost_commits or not (frames.broken_count or frames.is_cut):
        return None
    return f"the end of the log is incomplete or damaged: a process was killed while it wrote, or {_LOST}"


def _read_log(database: Path) -> tuple[bytes, LogFrames | None]:
    try:
        body = database.with_name(f"{database.name}-wal").read_bytes()
    except FileNotFoundError:  # the last process that had it open removed it
        body = b""
    return body, read_frames(body) if body else None


def _describe_damage(database: Path) -> str | None:
    if not database.exists():
        return None
    head = read_header(database)
    body, frames = _read_log(database)
    if frames is None or not body[:32].strip(b"\0"):
        return None
    total = len(frames.pages)
    if not frames.has_header:
        return f"the header of its log is damaged, and {total:,} frames in the log are ignored: {_LOST}"
    if frames.has_lost_commits:
        return f"{frames.broken_count:,} of {total:,} frames in its log are damaged: {_LOST}"
    is_still = head == read_header(database)  # else another process copies the log into the database meanwhile
    if is_still and not _is_of_database(head, body, frames):
        return "its log belongs to another database"
    return None


def _is_of_database(head: bytes, body: bytes, frames: LogFrames) -> bool:
    """Check that the change counter of the database is one that a page of the log follows or has.

    The log begins when all changes before it are in the database, and each transaction that changes the first page
    adds 1 to the counter.
    """
    places = [frames.locate_page(number) for number in np.flatnonzero(frames.intact & (frames.pages == 1)).tolist()]
    if not places:
        return True
    first, last = (read_change_counter(body[place : place + 100]) for place in (places[0], places[-1]))
    return first - 1 <= read_change_counter(head) <= last
