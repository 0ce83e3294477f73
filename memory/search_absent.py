"""Why a filter lets nothing through: what was asked for is not in this memory, and what is there instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..faults.choices import did_you_mean, listed
from .search_filter import glob_regex, nanoseconds
from .sqlite.rows import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from .search_wish import Wish


def absent(db: apsw.Connection, wish: Wish) -> str:
    """What no chunk of this memory has of all that the wish asks for, in sentences; empty when each has its match."""
    return " ".join(_sentences(db, wish))


def _sentences(db: apsw.Connection, wish: Wish) -> Iterator[str]:
    if wish.language:
        there = _all(db, "SELECT DISTINCT language FROM files")
        yield from _unknown("language", wish.language, there)
    if wish.kinds:
        there = _all(db, "SELECT DISTINCT kind FROM chunks")
        for kind in wish.kinds:
            yield from _unknown("kind", kind, there)
    if wish.path_glob:
        shape = glob_regex(wish.path_glob)
        if not any(map(shape.fullmatch, _all(db, "SELECT path FROM files"))):
            yield f'No path in this memory fits "{wish.path_glob[:80]}"; paths count from the project\'s folder.'
    if wish.changed_since:
        since = nanoseconds(wish.changed_since)
        if not ask(db, "SELECT 1 FROM files WHERE mtime_ns >= ? LIMIT 1", (since,)):
            yield f'No file in this memory has changed since "{wish.changed_since[:80]}".'


def _unknown(what: str, asked: str, there: list[str]) -> Iterator[str]:
    if there and asked.lower() not in there:
        near = did_you_mean(asked, there)
        choices = f"{near[:1].upper()}{near[1:]}" if near else f"There are {listed(there)}."
        yield f'Nothing in this memory is of {what} "{asked[:80]}". {choices}'


def _all(db: apsw.Connection, statement: str) -> list[str]:
    return [row[0] for row in ask(db, statement)]
