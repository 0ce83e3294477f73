"""Checksums of the rows that no file contains: a changed byte is damage, and never an answer."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

import apsw

from aurora.memory.model import is_readable_document

from .errors import CorruptRowError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    ScalarFunction = Callable[..., bytes]

SEALED_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "accesses": ("id", "at"),
    "chunks": (
        "id",
        "type",
        "path",
        "start_line",
        "end_line",
        "symbol",
        "kind",
        "language",
        "text",
        "metadata",
    ),
    "remembered": ("id", "at"),
    "runs": ("run", "workflow", "created_at", "updated_at", "document"),
    "steps": ("run", "seq", "phase", "at", "document"),
    "undo": ("at", "action", "summary", "document"),
}
"""Table -> the columns that the checksum in its column `seal` covers."""
_DOCUMENTS = frozenset({"document", "metadata"})
_SEAL_BYTES = 8
"""A damaged row keeps its checksum with a probability of 2**-64."""


def compute_seal(table: str, *values: object) -> bytes:
    """Compute the checksum of a row: BLAKE2b over its values, each with its length, text as UTF-8."""
    parts = [table.encode()]
    for value in values:
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass")  # noqa: PLW2901 - the value as SQLite stores it
        if isinstance(value, bytes):
            parts += (b"%d:" % len(value), value)
        elif isinstance(value, float) and value.is_integer():
            parts.append(b"#%d" % int(value))  # a column of type REAL turns 1 into 1.0
        else:
            parts.append(b"#%a" % value)
    return hashlib.blake2b(b"".join(parts), digest_size=_SEAL_BYTES).digest()


def register_seals(db: apsw.Connection) -> None:
    """Make the functions of seals callable in statements, but not in triggers and views of a file."""
    for name, function in (("compute_seal", compute_seal), ("is_readable", _is_readable)):
        called = cast("ScalarFunction", function)
        db.create_scalar_function(name, called, deterministic=True, flags=apsw.SQLITE_DIRECTONLY)


def _is_readable(document: object) -> bool:
    return isinstance(document, str) and is_readable_document(document)


def build_seal(table: str, **values: str) -> str:
    """Build the SQL of a row's checksum; `values` are expressions in place of columns."""
    given = ", ".join(values.get(name, name) for name in SEALED_COLUMNS[table])
    return f"compute_seal('{table}', {given})"


def build_insert(table: str, columns: tuple[str, ...] = (), verb: str = "INSERT") -> str:
    """Build an INSERT of a sealed row with numbered parameters.

    Args:
        table: the table.
        columns: its columns in the order of the parameters; by default the sealed ones.
        verb: `INSERT`, or with a conflict clause.
    """
    columns = columns or SEALED_COLUMNS[table]
    places = {name: f"?{place}" for place, name in enumerate(columns, 1)}
    return (
        f"{verb} INTO {table} ({', '.join(columns)}, seal) "
        f"VALUES ({', '.join(places.values())}, {build_seal(table, **places)})"
    )


def build_broken_query(table: str) -> str:
    """Build the query for the first column of each row whose checksum is wrong or missing, as bytes."""
    stored = {name: f"iif(typeof({name}) = 'text', CAST({name} AS BLOB), {name})" for name in SEALED_COLUMNS[table]}
    first = SEALED_COLUMNS[table][0]
    is_broken = f"seal IS NOT {build_seal(table, **stored)}"
    if table == "undo":  # the documents of the other tables have a finding of their own
        is_broken = f"({is_broken} OR NOT is_readable(document))"
    return f"SELECT CAST({first} AS BLOB) FROM {table} NOT INDEXED WHERE {is_broken} LIMIT ?"


def build_reseal(table: str) -> str:
    """Build the statement that seals each row of a table as it is."""
    return f"UPDATE {table} SET seal = {build_seal(table)}"


def require_seal(seal: object, name: str, table: str, *values: object) -> None:
    """Raise an error for a row that does not match its checksum, or whose document no Aurora writes.

    Raises:
        CorruptRowError: with the name of the row.
    """
    if seal != compute_seal(table, *values):
        raise CorruptRowError(f"{name} does not match its checksum")
    if SEALED_COLUMNS[table][-1] in _DOCUMENTS and not is_readable_document(str(values[-1])):
        raise CorruptRowError(f"{name} has a document that is nested too deep, or a number that is too long")
