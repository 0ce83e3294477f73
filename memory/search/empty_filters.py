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


def explain_empty_filters(db: Tables, options: SearchOptions) -> str:
    """Explain which filter values match no chunk; empty when each one matches."""
    return " ".join(_iter_explanations(db, options))


def _iter_explanations(db: Tables, options: SearchOptions) -> Iterator[str]:
    if options.language:
        yield from _explain_unknown("language", options.language, db.files.list_languages())
    if options.kinds:
        known = db.chunks.list_kinds()
        for kind in options.kinds:
            yield from _explain_unknown("kind", kind, known)
    if options.path_glob:
        pattern = compile_glob(options.path_glob)
        if not any(map(pattern.fullmatch, db.files.list_paths())):
            yield f'No path in this memory matches "{options.path_glob[:80]}"; paths start at the project\'s folder.'
    if options.changed_since and not db.files.has_changes_since(parse_moment(options.changed_since)):
        yield f'No file in this memory has changed since "{options.changed_since[:80]}".'


def _explain_unknown(field: str, value: str, known: list[str]) -> Iterator[str]:
    if known and value.lower() not in known:
        suggestion = did_you_mean(value, known)
        choices = f"{suggestion[:1].upper()}{suggestion[1:]}" if suggestion else f"There are {list_names(known)}."
        yield f'Nothing in this memory is of {field} "{value[:80]}". {choices}'
