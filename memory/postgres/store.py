"""Store: one project in a PostgreSQL database, a connection pool, and transactions."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import psycopg
import psycopg_pool

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.memory.storage.session import CorruptRowError
from aurora.memory.storage.store import Tables

from .pool import close_pool, connect, open_pool
from .schema import EMPTY, VERSION, create_schema, has_schema, name_schema, read_version
from .session import PostgresSession

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.model.reports import Backup, ServerAddress

    Connection = psycopg.Connection[tuple[Any, ...]]

_MIN_SERVER = 16
"""Oldest major version of PostgreSQL with `IS JSON`."""

_MEMORY_LOCK = "memory"

_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# A snapshot of the whole transaction would be taken while it waits for its lock, and miss what the last holder wrote.
_BEGIN_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

_SLOW_WRITE = "SET LOCAL statement_timeout TO '600s'"
"""An index of a large project is linked in one statement."""

_HAS_WRITTEN = "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"

_LOOK_INTO = 'SET LOCAL search_path TO "{}"'
"""The only way to the tables: a statement names them without a schema, so it reaches those of one project."""


class PostgresStore:
    """Project in a PostgreSQL database with a connection pool; implements `memory.storage.store.Store`.

    A project without a schema is an empty memory, and the first write creates the schema. A write waits for an advisory
    lock: of one run, or of everything else in the project.

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
        self._schema = name_schema(address.project)
        self._exists = False
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
    def begin_read(self) -> Iterator[Tables]:
        """Begin a read transaction; all reads see one snapshot.

        Raises:
            Fault: see `postgres.errors`.
        """
        self._require_open()
        begin = f"{_BEGIN_READ}; {_LOOK_INTO.format(self._schema)}"
        with translate_errors(self._place), self._pool.begin(begin) as db:
            if not self._exists:
                if has_schema(db, self._schema):
                    self._exists = True  # never back: a write of another thread may have created it since
                else:
                    db.execute(_LOOK_INTO.format(EMPTY))
            yield Tables(PostgresSession(db))

    @contextmanager
    def begin_write(self, *, wait: bool = True, run: str | None = None) -> Iterator[Tables]:
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
            if not self._exists:
                with self._pool.begin(_BEGIN_WRITE) as db:
                    create_schema(db, self._schema)
                    db.execute("COMMIT")
                self._exists = True
            with self._pool.begin(f"{_BEGIN_WRITE}; {_LOOK_INTO.format(self._schema)}") as db:
                self._lock(db, _MEMORY_LOCK if run is None else f"run {run}", wait=wait)
                yield Tables(PostgresSession(db))
                # A transaction that wrote no row leaves no change for a cancelled call to report.
                with guard_commit() if _has_written(db) else nullcontext():
                    db.execute("COMMIT")

    def _lock(self, db: Connection, subject: str, *, wait: bool) -> None:
        """Take the advisory lock of a subject of the project until the end of the transaction."""
        # An advisory lock is a number of 64 bits, and the database has those of all projects.
        digest = hashlib.blake2b(f"{self._schema} {subject}".encode(), digest_size=8).digest()
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
            version = read_version(db, self._schema) or read_version(db, EMPTY) or 0
            if not version and not self.read_only:
                version = create_schema(db, EMPTY)
        _require_version(version, self._place)


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
    # A text of a file may have any character, and one that the server cannot store would fail in the middle of an
    # index.
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
            help="update Aurora" if version > VERSION else "use a new database: this version was never released",
            details={"database": place},
        )


_MOST_REASON = 300
"""Characters of a reason."""


@contextmanager
def translate_errors(place: str) -> Iterator[None]:
    """Translate errors of the server at `place` to faults.

    Args:
        place: host and database, without user and password.

    Raises:
        Fault: TIMEOUT when locked or slow, FORBIDDEN without a right, INVALID_INPUT for a text that the server cannot
            store, UPSTREAM_ERROR when the server is not reachable, stopped or full.
    """
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
        raise _to_fault(error, place) from None  # the chained error may contain the connection's options
    except CorruptRowError as error:
        message = f'the memory in "{place}" is damaged ({error})'
        help_ = "run `aur mem check`, and `aur mem repair`"
        raise Fault(Code.UPSTREAM_ERROR, message, help=help_, details={"database": place}) from None
    except UnicodeEncodeError:
        raise Fault(
            Code.INVALID_INPUT,
            "the text contains half of a character, which PostgreSQL cannot store",
            help="remove the characters U+D800 to U+DFFF from the text",
        ) from None


_Row = tuple[tuple[type[Exception], ...], Code, str, str]

_FAULTS: tuple[_Row, ...] = (
    (
        (psycopg.errors.QueryCanceled,),
        Code.TIMEOUT,
        'the database server "{place}" took too long for a statement',
        "try again; if that happens often, look at the load of the server",
    ),
    (
        (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction),
        Code.FORBIDDEN,
        'the memory in "{place}" cannot be written ({reason})',
        "connect to the primary, as a role that may create a project's schema, or has all rights on its tables",
    ),
    (
        (psycopg.errors.InvalidPassword, psycopg.errors.InvalidAuthorizationSpecification),
        Code.FORBIDDEN,
        'the database server "{place}" refuses the user ({reason})',
        "check the user in AURORA_DATABASE, and the password in PGPASSWORD or ~/.pgpass",
    ),
    (
        (psycopg.errors.InvalidCatalogName,),
        Code.NOT_FOUND,
        'the server has no such database as "{place}" ({reason})',
        "create it with `createdb --encoding=UTF8 --template=template0`, or correct AURORA_DATABASE",
    ),
    (
        (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory, psycopg.errors.ConfigurationLimitExceeded),
        Code.UPSTREAM_ERROR,
        'the database server "{place}" is out of space ({reason})',
        "nothing of this change is stored: free space on the server, then try again",
    ),
    (
        (psycopg.errors.TooManyConnections, psycopg_pool.PoolTimeout),
        Code.TIMEOUT,
        'the database server "{place}" has no free connection ({reason})',
        "try again, or raise max_connections on the server",
    ),
    (
        (psycopg.errors.ProgramLimitExceeded,),
        Code.INVALID_INPUT,
        "a text is too long for the database server ({reason})",
        "shorten it, or leave its file out with .auroraignore",
    ),
    (
        (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName),
        Code.UPSTREAM_ERROR,
        'tables of the memory in "{place}" are missing ({reason})',
        "restore the database from a backup of its operator, then start Aurora again",
    ),
    (
        (psycopg.OperationalError, psycopg.InterfaceError, psycopg_pool.PoolClosed),
        Code.UPSTREAM_ERROR,
        'the database server "{place}" is not reachable ({reason})',
        "check that the server runs and AURORA_DATABASE names it, then try again; finished steps are stored",
    ),
)
"""Errors with code, message and remedy; the first row that fits."""


def _to_fault(error: Exception, place: str) -> Fault:
    details = {"database": place}
    if isinstance(error, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)):
        return build_locked_fault(place)
    for kinds, code, message, fix in _FAULTS:
        if isinstance(error, kinds):
            return Fault(code, message.format(place=place, reason=_get_reason(error)), help=fix, details=details)
    message = f'the database server "{place}" answered with {type(error).__name__} ({_get_reason(error)})'
    return Fault(Code.INTERNAL_ERROR, message, help="please report this as a bug in Aurora", details=details)


def build_locked_fault(place: str) -> Fault:
    """Create the fault of a lock that another process keeps for too long."""
    return Fault(
        Code.TIMEOUT,
        f'the memory in "{place}" is locked by another process',
        help="wait for the other `aur` to finish, or stop it, then try again",
        details={"database": place},
    )


def _get_reason(error: Exception) -> str:
    """Return the server's own sentence about an error, or the last line of libpq's.

    That names host, port and user, but no password; a pool's error has no reason of its own.
    """
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        return error.diag.message_primary
    lines = str(error).strip().splitlines() if isinstance(error, psycopg.OperationalError) else []
    found = [
        line.strip() for line in lines if "FATAL" in line or "error:" in line or "failed" in line or "timeout" in line
    ]
    return (found or [type(error).__name__])[0][:_MOST_REASON]
