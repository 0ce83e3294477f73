"""Migrations of the schema, numbered by version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from . import schema
from .schema_graph import GRAPH_SCHEMA
from .schema_records import VIEWS_SCHEMA
from .seals import SEALED_COLUMNS, build_reseal, register_seals
from .transaction import SqliteTables

if TYPE_CHECKING:
    import apsw

    from aurora.memory.storage import Tables

DataMigrations = Mapping[int, Callable[["Tables"], object]]
"""Version N -> the migration in Python, in the same transaction."""

_RECORDS_IN_2 = """
CREATE TABLE IF NOT EXISTS remembered (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
"""
_TO_2 = f"""
DROP TRIGGER chunks_gone;
DROP TABLE code_words;
DROP TABLE prose_words;
{schema.DOCS}
CREATE TABLE segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, postings INTEGER NOT NULL) STRICT;
CREATE TABLE postings (
    segment INTEGER NOT NULL, term TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;
{GRAPH_SCHEMA}
{_RECORDS_IN_2}
DELETE FROM files;
DELETE FROM chunks WHERE path IS NOT NULL;
INSERT INTO facts (key, value) VALUES ('index_state', 'outgrown')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;
INSERT INTO facts (key, value) VALUES ('generation', '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;
"""
"""The next indexing reads the files again; records and runs stay."""

_TO_3 = f"""
DROP TRIGGER IF EXISTS fact_kept;
DROP TABLE postings;
DROP TABLE segments;
{schema.POSTINGS}
"""
"""Before, each term had a row per segment; now a row contains as many terms as fit a page."""

_TO_4 = ""
"""The stemmer changed: the inverted index is rebuilt after this migration."""

_TO_5 = ";\n".join(f"ALTER TABLE {table} ADD COLUMN seal BLOB; {build_reseal(table)}" for table in SEALED_COLUMNS)
"""Each row that no file contains gets a checksum."""

MIGRATIONS: Mapping[int, str] = {2: _TO_2, 3: _TO_3, 4: _TO_4, 5: _TO_5, 6: VIEWS_SCHEMA}
"""Version N -> the SQL that migrates from N - 1. A change of the schema is one entry here and the same in `SCHEMA`."""


def migrate_schema(
    db: apsw.Connection, after: DataMigrations, target: int = schema.VERSION, steps: Mapping[int, str] = MIGRATIONS
) -> None:
    """Run the migrations up to `target` in the open transaction: those in SQL, then those in Python.

    Python reads and writes the tables of the latest version.

    Args:
        db: the connection.
        after: the migrations in Python, by version.
        target: the version to reach.
        steps: the SQL of each version.
    """
    versions = range(schema.read_version(db) + 1, target + 1)
    register_seals(db)
    for version in versions:
        db.execute(steps[version])
        db.pragma("user_version", version)
    for version in versions:
        if version in after:
            after[version](SqliteTables(db))
