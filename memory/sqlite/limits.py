"""Limits of a connection to a file that anyone may have made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from aurora.faults import check_cancelled

if TYPE_CHECKING:
    from typing import Literal

_MAX_VALUE_BYTES = 512 * 1024 * 1024
"""Bytes of the largest row: the packed graph, some 50 bytes for each chunk, of ten million chunks."""
_PROGRESS_STEPS = 100_000
"""Instructions of SQLite's virtual machine between two checks for cancellation, about a millisecond."""


def limit_connection(db: apsw.Connection) -> None:
    """Limit the work and the memory of statements, and stop them when the call is cancelled.

    No view is read, and the schema of the file calls no function that does more than compute.
    """
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    db.set_progress_handler(_stop_when_cancelled, _PROGRESS_STEPS)


def defend_schema(db: apsw.Connection) -> None:
    """Reject statements that write the file's schema or other parts of it as rows."""
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


def _stop_when_cancelled() -> Literal[False]:
    """Continue a statement while its call is not cancelled.

    Raises:
        Cancelled: the call is cancelled; the statement ends with this error.
    """
    check_cancelled()
    return False
