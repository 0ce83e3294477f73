"""Database schema: creation at the latest version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.storage.schema import SCHEMA

if TYPE_CHECKING:
    import apsw

APPLICATION_ID = 0x41555241  # "AURA", which identifies Aurora's databases
VERSION = 7
MAX_VERSION = 1_000
"""Version that no Aurora will have; a header with a greater one is damaged."""


def read_version(db: apsw.Connection) -> int:
    """Read the schema version; 0 for an empty database."""
    return int(db.pragma("user_version"))


def create_schema(db: apsw.Connection) -> None:
    """Create the schema at the latest version in the open transaction."""
    db.execute(SCHEMA)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", VERSION)


def fill_status(db: apsw.Connection) -> None:
    """Fill the state of runs that were copied without it, as of databases of another version."""
    db.execute("UPDATE main.runs SET status = CASE WHEN json_valid(document) THEN document ->> '$.status' END")
