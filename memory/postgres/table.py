"""Base classes of the table modules, and encodings of names and texts for PostgreSQL."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

from .schema import TABLES

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
INSERT INTO counters (project, name, last) VALUES ($1, $2, $3::bigint)
ON CONFLICT (project, name) DO UPDATE SET last = counters.last + $3::bigint RETURNING last
"""

_ROWS_PER_STATEMENT = 5_000
"""Rows of one statement: their arrays stay below some tens of megabytes."""


class Table:
    """Queries on the rows of one project in the open transaction.

    In a statement `$1` is the project, and `$2` the first argument.
    """

    def __init__(self, db: Connection, project: int) -> None:
        self._db = db
        self._project = project

    def _execute(self, sql: str, *values: object) -> int:
        """Execute a statement; return the number of rows it wrote."""
        return self._db.execute(scope_statement(sql), (self._project, *self._prepare(values))).rowcount

    def _fetch_rows(self, sql: str, *values: object) -> list[Any]:
        """Fetch all rows as tuples."""
        return self._db.execute(scope_statement(sql), (self._project, *self._prepare(values))).fetchall()

    def _fetch_column(self, sql: str, *values: object) -> list[Any]:
        """Fetch the values of a query with one column."""
        return [value for (value,) in self._fetch_rows(sql, *values)]

    def _fetch_value(self, sql: str, *values: object) -> Any:
        """Fetch the value of a query with exactly one row and column."""
        ((value,),) = self._fetch_rows(sql, *values)
        return value

    def _iter_rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a large result, converted one by one."""
        yield from self._db.execute(scope_statement(sql), (self._project, *self._prepare(values)))

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


_NAMES = "|".join(TABLES)

_READ = re.compile(rf"@({_NAMES})(?::(\w+))?\b")
"""A table that is read: `@chunks`, or `@chunks:c` with an alias."""

_INSERT = re.compile(rf"\bINSERT INTO ({_NAMES}) \(project, [\w, ]+\)\s+(?:VALUES \(|SELECT (?:DISTINCT )?)\$1, ")

_LIMITED = (
    re.compile(rf"\bUPDATE ({_NAMES}) SET (?P<set>[^;]*?)\bWHERE \1\.project = \$1(?!\d)"),
    re.compile(rf"\bDELETE FROM ({_NAMES}) WHERE \1\.project = \$1(?!\d)"),
)
"""The forms of a write: each names the project of the rows that it writes."""

_CONFLICT = re.compile(r"\bON CONFLICT \(project, [\w, ]+\)")

_NAMED = re.compile(
    rf'(?i)(?:\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING|ONLY|TRUNCATE)\s+|,\s*)(?:"?\w+"?\.)?"?({_NAMES})\b(?!\s*\.)'
)
"""A table at a place where its name reads or writes all of its rows."""

_PROJECT_ONLY = re.compile(r"\bproject\b(?! = \$1(?!\d))")


@cache
def scope_statement(sql: str) -> str:
    """Expand each `@table` to the rows of the project `$1`, and check the rest.

    Args:
        sql: a statement in which every table is read as `@table` or written in one of three forms.

    Raises:
        Fault: INTERNAL_ERROR for a statement that could reach another project's rows.
    """
    left = _CONFLICT.sub(" ", _READ.sub(" ", sql))
    has_or = any(_has_alternative(left[found.end() :]) for write in _LIMITED for found in write.finditer(left))
    for write in (_INSERT, *_LIMITED):
        left = write.sub(lambda found: found.groupdict().get("set") or " ", left)
    if has_or or _PROJECT_ONLY.search(left) or _NAMED.search(left):
        raise Fault(
            Code.INTERNAL_ERROR,
            "a statement does not name its project",
            help="this is a bug in Aurora: please report it",
            details={"statement": " ".join(sql.split())},
        )
    return _READ.sub(_expand_table, sql)


def _has_alternative(condition: str) -> bool:
    """Return True for an OR next to `project = $1`, which selects other projects' rows."""
    depth, top = 0, ""
    for character in condition:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        top += character if depth == 0 else " "
    return re.search(r"(?i)\bOR\b", top) is not None


def _expand_table(found: re.Match[str]) -> str:
    table, alias = found.groups()
    return f"(SELECT * FROM {table} WHERE project = $1) AS {alias or table}"


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
