"""Connection pool of a server, shared by all projects of this process."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import psycopg_pool
from psycopg.conninfo import conninfo_to_dict
from psycopg.raw_cursor import RawCursor

from .schema import EMPTY
from .session import register_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_SECONDS = 10
"""Seconds that a transaction waits for a connection, also while the server restarts or a standby takes over."""
_MOST_CONNECTIONS = 8
_IDLE_SECONDS = 300.0
_RETRY_SECONDS = 0.5
"""Seconds between two attempts to reach a server."""
_DEFAULTS = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "aurora",
}
"""Options of libpq that the URL may change: a server that vanished is noticed within a minute."""
_SETTINGS = """
SET search_path TO '';
SET statement_timeout TO '120s';
SET idle_in_transaction_session_timeout TO '600s';
SET tcp_keepalives_idle TO 30;
SET tcp_keepalives_interval TO 10;
SET tcp_keepalives_count TO 3
"""
"""A lock of a worker whose machine vanished is free within a minute. Outside of a transaction of a project, no table of
any project has a name."""
_IDENTIFY = f"""
SELECT (SELECT oid FROM pg_namespace WHERE nspname = '{EMPTY}'), CASE WHEN pg_is_in_recovery() THEN ''
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
"""
"""Identity of the schemas, which a restore changes, and the timeline, which a promoted standby changes."""


logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # each failure reaches the caller as a fault


def connect(url: str) -> Connection:
    """Open a connection of its own.

    Raises:
        psycopg.Error: the server is not reachable, or refuses the connection.
    """
    return psycopg.connect(url, **_get_options(url))


class ServerPool:
    """Connections to one server; thread-safe. Use `open_pool`.

    Attributes:
        epoch: number of times that the tables were replaced, or another server took over.
    """

    def __init__(self, url: str) -> None:
        self.epoch = 0
        self._url = url
        self._identity: tuple[Any, ...] | None = None
        self._lock = threading.Lock()
        self._pool: psycopg_pool.ConnectionPool[Connection] = psycopg_pool.ConnectionPool(
            url,
            min_size=0,
            max_size=_MOST_CONNECTIONS,
            max_idle=_IDLE_SECONDS,
            num_workers=1,
            reconnect_timeout=_RETRY_SECONDS,
            kwargs=_get_options(url),
            configure=self._configure,
            open=True,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    @contextmanager
    def begin(self, sql: str) -> Iterator[Connection]:
        """Begin a transaction on a connection of the pool; roll it back unless the caller has ended it.

        Args:
            sql: the statement that begins it.

        Raises:
            psycopg.Error: the server is not reachable for `CONNECT_SECONDS`.
            psycopg_pool.PoolTimeout: all connections are in use for as long.
        """
        db = self._begin(sql)
        try:
            yield db
        finally:
            try:
                _roll_back(db)
            finally:
                self._pool.putconn(db)

    def _begin(self, sql: str) -> Connection:
        """Begin a transaction; a connection that broke while it was idle is replaced."""
        deadline = time.monotonic() + CONNECT_SECONDS
        while True:
            db = self._take(deadline)
            try:
                db.execute(sql)
            except psycopg.OperationalError:
                is_broken = db.broken
                self._pool.putconn(db)
                if not is_broken or time.monotonic() > deadline:
                    raise
            except BaseException:
                self._pool.putconn(db)
                raise
            else:
                return db

    def _take(self, deadline: float) -> Connection:
        """Take a connection; each attempt asks the pool for a new one."""
        while True:
            try:
                return self._pool.getconn(timeout=_RETRY_SECONDS)
            except psycopg_pool.PoolTimeout:
                if time.monotonic() > deadline:
                    connect(self._url).close()  # its error has the reason, which that of the pool does not have
                    raise

    def _configure(self, db: Connection) -> None:
        """Configure a new connection, and notice another server at its end."""
        db.execute(_SETTINGS)
        register_texts(db)
        identity = db.execute(_IDENTIFY).fetchone()
        with self._lock:
            if self._identity not in {None, identity}:
                self.epoch += 1
            self._identity = identity


_shared: dict[str, tuple[ServerPool, int]] = {}
"""Open pools by URL, each with the number of its users."""
_shared_lock = threading.Lock()


def open_pool(url: str) -> ServerPool:
    """Return the pool of a server; each call needs one of `close_pool`."""
    with _shared_lock:
        pool, users = _shared.get(url) or (ServerPool(url), 0)
        _shared[url] = pool, users + 1
        return pool


def close_pool(url: str) -> None:
    """Close the pool of a server after its last user."""
    with _shared_lock:
        pool, users = _shared[url]
        if users > 1:
            _shared[url] = pool, users - 1
            return
        del _shared[url]
    pool.close()


def _get_options(url: str) -> dict[str, Any]:
    given = conninfo_to_dict(url)
    options: dict[str, Any] = {name: value for name, value in _DEFAULTS.items() if name not in given}
    # The store begins each transaction itself, with the statement that says which tables it may see.
    return options | {"cursor_factory": RawCursor, "autocommit": True, "client_encoding": "UTF8"}


def _roll_back(db: Connection) -> None:
    """Roll back an open transaction; a lost connection has none."""
    if not db.closed and db.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        db.rollback()
