"""Check that a database contains only tables, indexes and triggers that Aurora creates.

SQLite executes what the schema of a file contains: triggers at each write, views in place of tables, and expressions of
indexes and constraints. A memory may come with a clone, so its schema is compared before the first statement.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import schema
from .errors import build_damage_fault
from .schema_former import FORMER_INDEXES, FORMER_OBJECTS

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

_SELECT_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_STATISTICS = (
    ("table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"),
    ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
)
"""Tables that SQLite itself creates."""
_STATEMENT_END = re.compile(r";\s*(?:\Z|(?=CREATE ))")
_TABLE_OF = {
    "TABLE": re.compile(r"CREATE TABLE (\w+)"),
    "INDEX": re.compile(r"CREATE INDEX \w+ ON (\w+)"),
    "TRIGGER": re.compile(r"CREATE TRIGGER \w+ (?:BEFORE|AFTER) (?:INSERT|UPDATE|DELETE) ON (\w+)"),
}
"""Kind of a statement -> the expression that finds the table in it."""


class SchemaObject(NamedTuple):
    """Row of `sqlite_schema`, whose values may be of any type in a foreign file."""

    type: object
    name: object
    table: object
    sql: object


def require_own_objects(db: apsw.Connection, path: Path) -> None:
    """Raise a fault for an object that no Aurora creates; execute nothing of the schema.

    A database of another program or of a newer version is left to the caller. An object that is missing is harmless
    here; `mem check` lists it.

    Raises:
        DamagedDatabase: with the kind and the name of the first such object.
    """
    if db.in_transaction:
        _compare_objects(db, path)
        return
    db.execute("BEGIN")  # else a process that migrates it meanwhile makes version and objects contradict each other
    try:
        _compare_objects(db, path)
    finally:
        db.execute("ROLLBACK")


def _compare_objects(db: apsw.Connection, path: Path) -> None:
    version = schema.read_version(db)
    if version > schema.VERSION or db.pragma("application_id") != schema.APPLICATION_ID:
        return
    known = _list_current_objects()
    for row in db.execute(_SELECT_OBJECTS):
        if row not in known and not _is_known(SchemaObject(*row), is_current=version == schema.VERSION):
            raise build_damage_fault(path, _describe(SchemaObject(*row)))


def _is_known(found: SchemaObject, *, is_current: bool) -> bool:
    """Return True for an object as some version creates it, however its SQL is laid out."""
    if found.sql is None:  # SQLite creates it with its table, and refuses any other object without SQL
        return found.type == "index" and str(found.name).startswith("sqlite_autoindex_")
    if not isinstance(found.sql, str):
        return False
    normal = found._replace(sql=_normalize(found.sql))
    return normal in _list_normal_objects() or (not is_current and normal in _list_former_objects())


def _describe(found: SchemaObject) -> str:
    """Describe an unknown object: its kind and its name."""
    kind = found.type if found.type in {"table", "index", "trigger", "view"} else "object"
    name = str(found.name)[:80]
    if kind == "table" and name in {row[1] for row in _list_current_objects()}:
        return f'its table "{name}" is not as Aurora creates it'
    article = "an" if kind in {"index", "object"} else "a"
    return f'it contains {article} {kind} that Aurora does not create, "{name}"'


@cache
def _list_current_objects() -> frozenset[tuple[object, ...]]:
    """List the rows of `sqlite_schema` of a new database, except for the indexes that have no SQL.

    They are read from the text of the schema: to create them in memory would take each process two milliseconds.
    """
    statements = _STATEMENT_END.split(schema.SCHEMA.strip().replace(" IF NOT EXISTS", ""))
    return frozenset(_read_statement(sql) for sql in statements if sql) | frozenset(_STATISTICS)


def _read_statement(sql: str) -> tuple[object, ...]:
    _, kind, name, *_ = sql.split(maxsplit=3)
    table = _TABLE_OF[kind].search(sql)
    return kind.lower(), name, table[1] if table else name, sql


@cache
def _list_normal_objects() -> frozenset[tuple[object, ...]]:
    """List the objects of a new database, and of a migrated one, with normalized SQL."""
    return frozenset(_normalize_row(row) for row in (*_list_current_objects(), *FORMER_INDEXES))


@cache
def _list_former_objects() -> frozenset[tuple[object, ...]]:
    """List the objects of older versions with normalized SQL: without later columns, or replaced since."""
    current = {_normalize_row(row) for row in _list_current_objects()}
    unsealed = {(*row, sql.replace(",seal BLOB", "")) for *row, sql in current if isinstance(sql, str)}
    return frozenset(unsealed | {_normalize_row(row) for row in FORMER_OBJECTS})


def _normalize_row(row: tuple[object, ...]) -> tuple[object, ...]:
    *names, sql = row
    return (*names, _normalize(sql) if isinstance(sql, str) else sql)


@lru_cache(maxsize=256)
def _normalize(sql: str) -> str:
    """Remove the white space that has no meaning, which differs between versions and after a migration."""
    return re.sub(r"\s*([(),;])\s*", r"\1", re.sub(r"\s+", " ", sql, flags=re.ASCII), flags=re.ASCII)
