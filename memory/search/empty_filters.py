"""Why a filter lets nothing through: what was asked for is not in this memory, and what is there instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults.suggest import did_you_mean, listed

from .filters import glob_regex, nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.sqlite.tables.all import Tables

    from .options import Wish


def absent(db: Tables, wish: Wish) -> str:
    """What no chunk of this memory has of all that the wish asks for, in sentences; empty when each has its match."""
    return " ".join(_sentences(db, wish))


def _sentences(db: Tables, wish: Wish) -> Iterator[str]:
    if wish.language:
        yield from _unknown("language", wish.language, db.files.languages())
    if wish.kinds:
        there = db.chunks.kinds()
        for kind in wish.kinds:
            yield from _unknown("kind", kind, there)
    if wish.path_glob:
        shape = glob_regex(wish.path_glob)
        if not any(map(shape.fullmatch, db.files.paths())):
            yield f'No path in this memory fits "{wish.path_glob[:80]}"; paths count from the project\'s folder.'
    if wish.changed_since and not db.files.changed_since(nanoseconds(wish.changed_since)):
        yield f'No file in this memory has changed since "{wish.changed_since[:80]}".'


def _unknown(what: str, asked: str, there: list[str]) -> Iterator[str]:
    if there and asked.lower() not in there:
        near = did_you_mean(asked, there)
        choices = f"{near[:1].upper()}{near[1:]}" if near else f"There are {listed(there)}."
        yield f'Nothing in this memory is of {what} "{asked[:80]}". {choices}'
