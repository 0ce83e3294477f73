"""Rows recognised by their checksums, whether or not a tree leads to their page."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aurora.memory.sqlite.seals import SEALED_COLUMNS, compute_seal

from .cells import CellError, iter_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .cells import Row
    from .page_file import PageFile

_SEAL_TYPE = 28
"""Serial type of a checksum: a blob of 8 bytes, 12 + 2 * 8."""


def iter_sealed_rows(pages: PageFile, columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield table and values of each row that matches its checksum.

    With a damaged freelist, which has deleted rows, none are found.

    Args:
        pages: the database with the pages of its log.
        columns: all columns of each table with checksums, in their order; the last one is the checksum.
    """
    sizes = {len(names) for names in columns.values()}

    def has_shape(types: Sequence[int]) -> bool:
        return len(types) in sizes and types[-1] == _SEAL_TYPE

    with suppress(CellError):
        for row in iter_rows(pages, has_shape):
            for table, values in _match_columns(row, columns):
                if values["seal"] == compute_seal(table, *(values[name] for name in SEALED_COLUMNS[table])):
                    yield table, values


def _match_columns(row: Row, columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables that have as many columns, with the row; leave out rows of files."""
    number, values = row
    for table, names in columns.items():
        if len(names) == len(values):
            named = dict(zip(names, values, strict=True))
            if named.get("path") is None:
                yield table, named | ({"n": number} if "n" in named else {})
