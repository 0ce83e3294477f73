"""Connections to the database file: opened, pooled, read-only, and shared with others of this process."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .connect import check_readable, is_writable, open_connection, open_or_create
    from .connection_class import Connection
    from .pool import ConnectionPool, PooledConnection
    from .read_only import ReadOnlyConnection
    from .siblings import Sibling, claim_index, register_sibling

__all__ = [
    "Connection",
    "ConnectionPool",
    "PooledConnection",
    "ReadOnlyConnection",
    "Sibling",
    "check_readable",
    "claim_index",
    "is_writable",
    "open_connection",
    "open_or_create",
    "register_sibling",
]

__getattr__ = export_lazily(
    __name__,
    {
        "connect": ["check_readable", "is_writable", "open_connection", "open_or_create"],
        "connection_class": ["Connection"],
        "pool": ["ConnectionPool", "PooledConnection"],
        "read_only": ["ReadOnlyConnection"],
        "siblings": ["Sibling", "claim_index", "register_sibling"],
    },
)
