"""Session on a PostgreSQL connection: see `memory.storage.session`."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from psycopg.types.string import StrDumperUnknown, TextLoader

from aurora.memory.storage.schema import read_column_types
from aurora.memory.storage.session import shorten_key

from .schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import psycopg
    from psycopg.abc import Buffer

    Connection = psycopg.Connection[tuple[Any, ...]]

_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"json_each\((\?\d)\) AS (\w+)"),
        r"jsonb_array_elements(\1::jsonb) WITH ORDINALITY AS \2 (value, key)",
    ),
    # With these two a statement tells SQLite the order of a join and its index; PostgreSQL plans by its own
    # statistics.
    (re.compile(r"CROSS JOIN (\w+(?: AS \w+)?)\s+ON\b"), r"JOIN \1 ON"),
    (re.compile(r" INDEXED BY \w+"), ""),
    (re.compile(r"IS_JSON_OBJECT\((\w+)\)"), r"(\1 IS JSON OBJECT)"),
    # In a damaged file any column may hold a value of any type; here its column decides.
    (re.compile(r"IS_INTEGER\(\w+\)"), "true"),
    (re.compile(r"\binstr\("), "strpos("),
    (re.compile(r"\bchar\("), "chr("),
    (re.compile(r"\?(\d)"), r"$\1"),
)
_ARRAYS = {"INTEGER": "bigint[]", "TEXT": "text[]", "REAL": "float8[]", "BLOB": "bytea[]"}
_COLUMN_TYPES = read_column_types()
_ROWS_PER_STATEMENT = 5_000
"""Rows of one statement: their arrays stay below some tens of megabytes."""
_RAISE_NUMBER = """
INSERT INTO counters (name, last) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET last = greatest(counters.last, excluded.last)
"""
_ESCAPE = "\x1a"
"""Control character SUBSTITUTE: it begins an encoded NUL, or an encoded character of its own kind."""


class PostgresSession:
    """Session on a connection whose transaction the store begins and ends.

    Args:
        db: the connection.
        shortens: a text is a key, and shortened where an index could not hold it.
    """

    def __init__(self, db: Connection, *, shortens: bool = False) -> None:
        self._db = db
        self._shortens = shortens

    def execute(self, sql: str, values: Sequence[object]) -> int:
        """Execute a statement; return the number of rows that it wrote."""
        return self._db.execute(_translate(sql), self._prepare(values)).rowcount

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Execute a statement with the values of each row, without waiting for each answer."""
        cursor = self._db.cursor()
        cursor.executemany(_translate(sql), map(self._prepare, rows))
        return max(0, cursor.rowcount)

    def insert_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]], clause: str) -> int:
        """Insert rows as arrays of their columns: five times as fast as one statement each."""
        sql, remaining, written = _build_insert(table, columns, clause), iter(rows), 0
        while part := list(islice(remaining, _ROWS_PER_STATEMENT)):
            arrays = map(list, zip(*part, strict=True))
            written += self._db.execute(sql, self._prepare(list(arrays))).rowcount
        return written

    def fetch_rows(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Fetch all rows of a query as tuples."""
        return self._db.execute(_translate(sql), self._prepare(values)).fetchall()

    def iter_rows(self, sql: str, values: Sequence[object]) -> Iterator[Any]:
        """Yield the rows of a large result, converted one by one."""
        yield from self._db.execute(_translate(sql), self._prepare(values))

    def get_next_number(self, table: str) -> int:
        """Return the next number of a table's rows.

        A counter and no sequence: it goes back with the transaction, and its numbers are committed in order.
        """
        rows = self._db.execute("SELECT last FROM counters WHERE name = $1", (table,)).fetchall()
        return int(rows[0][0]) + 1 if rows else 1

    def raise_number(self, table: str, last: int) -> None:
        """Never give numbers up to this one again."""
        self._db.execute(_RAISE_NUMBER, (table, last))

    def pack_items(self, items: Iterable[Sequence[object]]) -> str:
        """Encode a list of lists for `json_each`; JSON's own way to write NUL is none that the server decodes."""
        return json.dumps([[encode_nul(one) if isinstance(one, str) else one for one in item] for item in items])

    def shorten_names(self) -> PostgresSession:
        """Return a session that shortens texts which no index holds."""
        return PostgresSession(self._db, shortens=True)

    def measure_tables(self) -> Mapping[str, int]:
        """Measure the bytes of the rows of each table; the server's pages and indexes come in addition."""
        sizes = {"free": 0}
        for table in TABLES:
            ((size,),) = self._db.execute(f"SELECT coalesce(sum(pg_column_size(whole.*)), 0) FROM {table} AS whole")
            sizes[table] = int(size)
        return sizes

    def check_integrity(self, most: int) -> Sequence[str]:
        """List checksum failures of the server's pages in this database."""
        sql = "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
        ((failures,),) = self._db.execute(sql).fetchall()
        return [f"the server found {failures} damaged pages"][:most] if failures else []

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables."""
        found = self._db.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        return sorted(set(TABLES).difference(name for (name,) in found))

    def optimize(self) -> None:
        """Leave the query planner's statistics to the server's autovacuum."""

    def _prepare(self, values: Sequence[object]) -> Sequence[Any]:
        return [_shorten_keys(value) for value in values] if self._shortens else values


def register_texts(db: Connection) -> None:
    """Let the texts of a connection contain NUL, which PostgreSQL stores in no text."""
    db.adapters.register_dumper(str, _NulDumper)
    db.adapters.register_loader("text", _NulLoader)


def encode_nul(text: str) -> str:
    """Encode a text without NUL characters, reversibly; nearly every text is its own encoding."""
    if "\0" not in text and _ESCAPE not in text:
        return text
    # First the sign itself, since the second replacement writes it.
    return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")


def decode_nul(text: str) -> str:
    """Decode a text that `encode_nul` encoded."""
    if _ESCAPE not in text:
        return text
    # In the other order than it was written.
    return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)


class _NulDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(encode_nul(obj))


class _NulLoader(TextLoader):
    def load(self, data: Buffer) -> str:
        return decode_nul(str(super().load(data)))


@cache
def _translate(sql: str) -> str:
    for form, translation in _FORMS:
        sql = form.sub(translation, sql)
    return sql


@cache
def _build_insert(table: str, columns: str, clause: str) -> str:
    names = columns.split(", ")
    arrays = ", ".join(f"${n}::{_ARRAYS[_COLUMN_TYPES[table][name]]}" for n, name in enumerate(names, 1))
    return f"INSERT INTO {table} ({columns}) SELECT * FROM unnest({arrays}) {clause}"


def _shorten_keys(value: object) -> object:
    """Shorten the texts of an argument or of a list of them; leave anything else as it is."""
    if isinstance(value, str):
        return shorten_key(value)
    if isinstance(value, list):
        return [shorten_key(one) if isinstance(one, str) else one for one in value]
    return value
