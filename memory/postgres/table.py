"""Base classes of the table modules, and encodings of names and texts for PostgreSQL."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_ESCAPE = "\x1a"
"""Control character SUBSTITUTE: it begins an encoded NUL, or an encoded character of its own kind."""


def encode_nul(text: str) -> str:
    """Encode a text without NUL characters, reversibly; nearly every text is its own encoding."""
    if "\0" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")


def decode_nul(text: str) -> str:
    """Decode a text that `encode_nul` encoded."""
    if _ESCAPE not in text:
        return text
    return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)


_TAKE_NUMBERS = """
INSERT INTO counters (name, last) VALUES ($1, $2::bigint)
ON CONFLICT (name) DO UPDATE SET last = counters.last + $2::bigint RETURNING last
"""

_ROWS_PER_STATEMENT = 5_000
"""Rows of one statement: their arrays stay below some tens of megabytes."""


class Table:
    """Queries on tables of the project whose schema is the search path of the open transaction."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def _execute(self, sql: str, *values: object) -> int:
        """Execute a statement; return the number of rows it wrote."""
        return self._db.execute(sql, self._prepare(values)).rowcount

    def _fetch_rows(self, sql: str, *values: object) -> list[Any]:
        """Fetch all rows as tuples."""
        return self._db.execute(sql, self._prepare(values)).fetchall()

    def _fetch_column(self, sql: str, *values: object) -> list[Any]:
        """Fetch the values of a query with one column."""
        return [value for (value,) in self._fetch_rows(sql, *values)]

    def _fetch_value(self, sql: str, *values: object) -> Any:
        """Fetch the value of a query with exactly one row and column."""
        ((value,),) = self._fetch_rows(sql, *values)
        return value

    def _iter_rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a large result, converted one by one."""
        yield from self._db.execute(sql, self._prepare(values))

    def _take_numbers(self, name: str, count: int = 1) -> int:
        """Return the first of `count` new numbers, which are never reused."""
        return int(self._fetch_value(_TAKE_NUMBERS, name, count)) - count + 1

    def _prepare(self, values: tuple[object, ...]) -> tuple[object, ...]:
        """Prepare the arguments of a statement."""
        return values

    def _write_rows(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Execute a statement on the columns of many rows, as arrays; return the rows it wrote."""
        remaining, written = iter(rows), 0
        while part := list(islice(remaining, _ROWS_PER_STATEMENT)):
            written += self._execute(sql, *map(list, zip(*part, strict=True)))
        return written


class NameTable(Table):
    """Queries on tables with names of any length in their keys."""

    def _prepare(self, values: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(map(shorten_keys, values))


_MAX_BYTES = 2_000

_KEPT_CHARS = 400

_DIGEST_BYTES = 16


def shorten_key(text: str) -> str:
    """Shorten a name for an index; a name of any program is its own key.

    Two long names get the same key only if their hashes are equal. A name is shortened when it is written and when it
    is looked up.
    """
    if len(text) * 4 <= _MAX_BYTES or len(data := text.encode("utf-8", "surrogatepass")) <= _MAX_BYTES:
        return text
    return f"{text[:_KEPT_CHARS]}…{hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()}"


def shorten_keys(value: object) -> object:
    """Shorten the texts of an argument or of a list of them; leave anything else as it is."""
    if isinstance(value, str):
        return shorten_key(value)
    if isinstance(value, list):
        return [shorten_key(one) if isinstance(one, str) else one for one in value]
    return value
