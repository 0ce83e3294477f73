"""Store: one project in a PostgreSQL database, a connection pool, and transactions."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, check_cancelled, guard_commit

from .errors import build_locked_fault, translate_errors
from .pool import close_pool, connect, open_pool
from .schema import NAMESPACE, VERSION, create_schema, read_version
from .transaction import PostgresTables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg

    from aurora.memory.model import Backup, ServerAddress

    Connection = psycopg.Connection[tuple[Any, ...]]

_MIN_SERVER = 16
"""Oldest major version of PostgreSQL with `IS JSON`."""
_MEMORY_LOCK = "memory"
_NO_PROJECT = 0
"""Number of a project that does not exist: it has no rows."""
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_SLOW_WRITE = "SET LOCAL statement_timeout TO '600s'"
"""An index of a large project is linked in one statement."""
_HAS_WRITTEN = "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"
_FIND_PROJECT = f"SELECT id FROM {NAMESPACE}.projects WHERE name = $1"


class PostgresStore:
    """Project in a PostgreSQL database with a connection pool; implements `memory.storage.Store`.

    A project without a row is an empty memory, and the first write creates the row. A write waits for an advisory lock:
    of one run, or of everything else in the project.

    Attributes:
        path: the place of a database file in the clone, which names the clone; no file is there.
        read_only: the store rejects writes.
        server: the place of the server, and the project.

    Raises:
        Fault: the server is not reachable, too old, or of a newer Aurora.
    """

    def __init__(self, address: ServerAddress, path: Path, *, read_only: bool = False, busy_timeout: float) -> None:
        self.path = path
        self.read_only = read_only
        self.server: str | None = str(address)
        self._address = address
        self._place = address.place
        self._busy_timeout = busy_timeout
        self._project = _NO_PROJECT
        self._is_open = False
        with translate_errors(self._place):
            self._require_schema()
            self._pool = open_pool(address.url)
        self._is_open = True

    @property
    def epoch(self) -> int:
        """Number of times that the tables were replaced, or another server took over, since the process began."""
        return self._pool.epoch

    @property
    def schema_version(self) -> int:
        """Version of the schema."""
        return VERSION

    def close(self) -> None:
        """Give the connections back; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            close_pool(self._address.url)

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
        self._require_open()
        with translate_errors(self._place), self._pool.begin(_BEGIN_READ) as db:
            project = self._project
            if project == _NO_PROJECT and (project := self._find_project(db)) != _NO_PROJECT:
                self._project = project  # never back to none: a write of another thread may have created it since
            yield PostgresTables(db, project)

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[PostgresTables]:
        """Begin a write transaction; commit at the end, roll back on an error.

        Args:
            wait: wait for another writer; else raise TIMEOUT at once.
            run: the only run that the transaction writes; None for anything else.

        Raises:
            Fault: FORBIDDEN if it is read-only, TIMEOUT if another process keeps the lock for too long.
        """
        self._require_open()
        self.require_writable()
        check_cancelled()
        with translate_errors(self._place):
            if self._project == _NO_PROJECT:
                self._project = self._create_project()
            project = self._project
            with self._pool.begin(_BEGIN_WRITE) as db:
                self._lock(db, project, _MEMORY_LOCK if run is None else f"run {run}", wait=wait)
                yield PostgresTables(db, project)
                # A transaction that wrote no row leaves no change for a cancelled call to report.
                with guard_commit() if _has_written(db) else nullcontext():
                    db.execute("COMMIT")

    def _lock(self, db: Connection, project: int, subject: str, *, wait: bool) -> None:
        """Take the advisory lock of a subject of the project until the end of the transaction."""
        digest = hashlib.blake2b(f"{project} {subject}".encode(), digest_size=8).digest()
        key = int.from_bytes(digest, signed=True)
        if not wait:
            if db.execute("SELECT pg_try_advisory_xact_lock($1::bigint)", (key,)).fetchone() != (True,):
                raise build_locked_fault(self._place)
            return
        # Several statements in one message, without parameters: one round trip.
        db.execute(f"SET LOCAL lock_timeout = {max(1, round(self._busy_timeout * 1000))}; {_SLOW_WRITE}")
        db.execute("SELECT pg_advisory_xact_lock($1::bigint)", (key,))

    def _require_open(self) -> None:
        if not self._is_open:
            raise Fault(Code.INTERNAL_ERROR, f'the memory in "{self._place}" is closed', help="open it again")

    def _require_schema(self) -> None:
        """Check the server, and create the schema unless it exists."""
        with connect(self._address.url) as db:
            _require_server(db, self._place)
            version = read_version(db) or 0
            if version != VERSION and not self.read_only:
                version = create_schema(db)
        _require_version(version, self._place)

    def _find_project(self, db: Connection) -> int:
        row = db.execute(_FIND_PROJECT, (self._address.project,)).fetchone()
        return _NO_PROJECT if row is None else int(row[0])

    def _create_project(self) -> int:
        """Create the row of the project unless it exists; return its number."""
        with self._pool.begin(_BEGIN_WRITE) as db:
            found = self._find_project(db)
            if found == _NO_PROJECT:
                db.execute("INSERT INTO projects (name) VALUES ($1) ON CONFLICT DO NOTHING", (self._address.project,))
                found = self._find_project(db)
            db.execute("COMMIT")
        return found


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
    encoding = db.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise Fault(
            Code.CONFLICT,
            f'the database "{place}" has the encoding {encoding}, which cannot store every text',
            help="create it with `createdb --encoding=UTF8 --template=template0`",
            details={"database": place},
        )


def _require_version(version: int, place: str) -> None:
    if not version:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory in "{place}" yet',
            help="run `aur mem index` without READ_ONLY and --read-only, which creates its tables",
            details={"database": place},
        )
    if version != VERSION:
        raise Fault(
            Code.CONFLICT,
            f'the memory in "{place}" has version {version}, this Aurora knows {VERSION}',
            help="update Aurora",
            details={"database": place},
        )
