"""Store: one project in a PostgreSQL database, a connection pool, and transactions."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import psycopg
import psycopg_pool
from psycopg.raw_cursor import RawCursor

from aurora.faults import Code, Fault, check_cancelled, guard_commit

from .errors import build_locked_fault, translate_errors
from .schema import NAMESPACE, VERSION, create_schema
from .transaction import PostgresTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.model import Backup

    from .address import ServerAddress

    Connection = psycopg.Connection[tuple[Any, ...]]

_MIN_SERVER = 16
"""Oldest major version of PostgreSQL with `IS JSON`."""
_MOST_CONNECTIONS = 8
_CONNECT_SECONDS = 10
_MEMORY_LOCK = "memory"
_HAS_WRITTEN = "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"


class PostgresStore:
    """Project in a PostgreSQL database with a connection pool; implements `memory.storage.Store`.

    A write waits for an advisory lock: of one run, or of everything else in the project.

    Attributes:
        path: the place of a database file in the clone, which names the clone; no file is there.
        read_only: the store rejects writes.

    Raises:
        Fault: the server is not reachable, too old, of a newer Aurora, or the project does not exist and is read-only.
    """

    def __init__(self, address: ServerAddress, path: Path, *, read_only: bool = False, busy_timeout: float) -> None:
        self.path = path
        self.read_only = read_only
        self._place = address.place
        self._busy_timeout = busy_timeout
        with translate_errors(self._place):
            self._project = self._open_project(address)
            self._pool: psycopg_pool.ConnectionPool[Connection] = psycopg_pool.ConnectionPool(
                address.url,
                min_size=0,
                max_size=_MOST_CONNECTIONS,
                timeout=max(busy_timeout, _CONNECT_SECONDS),
                kwargs={"cursor_factory": RawCursor, "connect_timeout": _CONNECT_SECONDS, "autocommit": True},
                configure=_configure,
                check=psycopg_pool.ConnectionPool.check_connection,
                open=True,
            )

    @property
    def epoch(self) -> int:
        """Number of times that the database was replaced since the store was opened: none."""
        return 0

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return VERSION

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def require_writable(self) -> None:
        """Raise a fault if a write is not possible.

        Raises:
            Fault: FORBIDDEN if the store is read-only.
        """
        if self.read_only:
            raise Fault(
                Code.FORBIDDEN,
                f'the memory in "{self._place}" is open read-only',
                help="start the server without --read-only to write",
                details={"database": self._place},
            )

    def create_backup(self, reason: str) -> Backup | None:  # noqa: ARG002 - the protocol's
        """Create no backup: the server's operator backs it up, with its own programs."""
        return None

    @contextmanager
    def begin_read(self) -> Iterator[PostgresTables]:
        """Begin a read transaction; all reads see one snapshot.

        Raises:
            Fault: see `postgres.errors`.
        """
        with translate_errors(self._place), self._pool.connection() as db:
            db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield PostgresTables(db, self._project)
            finally:
                _roll_back(db)

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[PostgresTables]:
        """Begin a write transaction; commit at the end, roll back on an error.

        Args:
            wait: wait for another writer; else raise TIMEOUT at once.
            run: the only run that the transaction writes; None for anything else.

        Raises:
            Fault: FORBIDDEN if it is read-only, TIMEOUT if another process keeps the lock for too long.
        """
        self.require_writable()
        check_cancelled()
        with translate_errors(self._place), self._pool.connection() as db:
            db.execute("BEGIN")
            try:
                self._lock(db, _MEMORY_LOCK if run is None else f"run {run}", wait=wait)
                yield PostgresTables(db, self._project)
                # A transaction that wrote no row leaves no change for a cancelled call to report.
                with guard_commit() if _has_written(db) else nullcontext():
                    db.execute("COMMIT")
            finally:
                _roll_back(db)

    def _lock(self, db: Connection, subject: str, *, wait: bool) -> None:
        """Take the advisory lock of a subject of the project until the end of the transaction."""
        digest = hashlib.blake2b(f"{self._project} {subject}".encode(), digest_size=8).digest()
        key = int.from_bytes(digest, signed=True)
        if not wait:
            if db.execute("SELECT pg_try_advisory_xact_lock($1::bigint)", (key,)).fetchone() != (True,):
                raise build_locked_fault(self._place)
            return
        db.execute(f"SET LOCAL lock_timeout = {max(1, round(self._busy_timeout * 1000))}")
        db.execute("SELECT pg_advisory_xact_lock($1::bigint)", (key,))

    def _open_project(self, address: ServerAddress) -> int:
        """Create schema and project unless they exist; return the number of the project."""
        with psycopg.connect(
            address.url, cursor_factory=RawCursor, connect_timeout=_CONNECT_SECONDS, autocommit=True
        ) as db:
            _require_server(db, self._place)
            if not self.read_only:
                _require_version(create_schema(db), self._place)
                _configure(db)
                db.execute("INSERT INTO projects (name) VALUES ($1) ON CONFLICT DO NOTHING", (address.project,))
            row = db.execute(f"SELECT id FROM {NAMESPACE}.projects WHERE name = $1", (address.project,)).fetchone()
        if row is None:
            raise _build_unknown_fault(address)
        return int(row[0])


def _configure(db: Connection) -> None:
    db.execute(f"SET search_path TO {NAMESPACE}")


def _roll_back(db: Connection) -> None:
    """Roll back an open transaction; a lost connection has none."""
    if not db.closed and db.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        db.rollback()


def _has_written(db: Connection) -> bool:
    return db.execute(_HAS_WRITTEN).fetchone() == (True,)


def _require_server(db: Connection, place: str) -> None:
    found = db.info.server_version // 10_000
    if found < _MIN_SERVER:
        raise Fault(
            Code.CONFLICT,
            f'the database server "{place}" is PostgreSQL {found}',
            help=f"use PostgreSQL {_MIN_SERVER} or newer",
            details={"database": place},
        )


def _require_version(version: int, place: str) -> None:
    if version > VERSION:
        raise Fault(
            Code.CONFLICT,
            f'the memory in "{place}" has version {version}, this Aurora knows {VERSION}',
            help="update Aurora",
            details={"database": place},
        )


def _build_unknown_fault(address: ServerAddress) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'there is no project "{address.project}" in "{address.place}"',
        help="open it once for writing, or check AURORA_PROJECT",
        details={"database": address.place},
    )
