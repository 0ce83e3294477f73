"""Translation of PostgreSQL errors to faults, without the connection's secrets."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import psycopg_pool

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_MESSAGE = "the server gave no reason"


@contextmanager
def translate_errors(place: str) -> Iterator[None]:
    """Translate errors of the server at `place` to faults.

    Args:
        place: host and database, without user and password.

    Raises:
        Fault: TIMEOUT when locked or slow, FORBIDDEN without a right, INVALID_INPUT for a text that the server cannot
            store, UPSTREAM_ERROR when the server is not reachable or stopped.
    """
    try:
        yield
    except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
        raise _to_fault(error, place) from None  # the chained error may contain the connection's options


def _to_fault(error: Exception, place: str) -> Fault:
    details = {"database": place}
    if isinstance(error, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)):
        return build_locked_fault(place)
    if isinstance(error, (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)):
        message = f'the memory in "{place}" cannot be written ({_get_reason(error)})'
        fix = "connect to the primary, as a role that owns the schema `aurora` or has all rights on its tables"
        return Fault(Code.FORBIDDEN, message, help=fix, details=details)
    if isinstance(error, psycopg.DataError) and "NUL" in str(error):
        message = "the text contains a NUL character, which PostgreSQL cannot store"
        return Fault(Code.INVALID_INPUT, message, help="remove the character U+0000 from the text")
    if isinstance(error, (psycopg.OperationalError, psycopg_pool.PoolTimeout)):
        message = f'the database server "{place}" is not reachable ({_get_reason(error)})'
        fix = "check that the server runs and AURORA_DATABASE names it, then try again; finished steps are stored"
        return Fault(Code.UPSTREAM_ERROR, message, help=fix, details=details)
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
    """Return the server's own sentence about an error; an error of the connection names its kind only."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        return error.diag.message_primary
    return type(error).__name__ if str(error) else _NO_MESSAGE
