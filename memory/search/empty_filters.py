"""Explanation of filters that match nothing, with suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import did_you_mean, list_names

from .filters import compile_glob
from .moment import parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Tables

    from .options import SearchOptions


def explain_empty_filters(db: Tables, wish: SearchOptions) -> str:
    """Explain which filter values match no chunk; empty when each one matches."""
    return " ".join(_iter_explanations(db, wish))


def _iter_explanations(db: Tables, wish: SearchOptions) -> Iterator[str]:
    if wish.language:
        yield from _explain_unknown("language", wish.language, db.files.list_languages())
    if wish.kinds:
        there = db.chunks.list_kinds()
        for kind in wish.kinds:
            yield from _explain_unknown("kind", kind, there)
    if wish.path_glob:
        shape = compile_glob(wish.path_glob)
        if not any(map(shape.fullmatch, db.files.list_paths())):
            yield f'No path in this memory matches "{wish.path_glob[:80]}"; paths start at the project\'s folder.'
    if wish.changed_since and not db.files.has_changes_since(parse_moment(wish.changed_since)):
        yield f'No file in this memory has changed since "{wish.changed_since[:80]}".'


def _explain_unknown(what: str, asked: str, there: list[str]) -> Iterator[str]:
    if there and asked.lower() not in there:
        near = did_you_mean(asked, there)
        choices = f"{near[:1].upper()}{near[1:]}" if near else f"There are {list_names(there)}."
        yield f'Nothing in this memory is of {what} "{asked[:80]}". {choices}'
