"""Translation of PostgreSQL errors to faults, without the connection's secrets."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import psycopg_pool

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        "connect to the primary, as a role that owns the schema `aurora` or has all rights on its tables",
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
    if isinstance(error, psycopg.DataError) and "NUL" in str(error):
        message = "the text contains a NUL character, which PostgreSQL cannot store"
        return Fault(Code.INVALID_INPUT, message, help="remove the character U+0000 from the text")
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
