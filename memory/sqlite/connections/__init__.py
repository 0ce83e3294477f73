"""Connections to the database file: opened, pooled, read-only, and shared with others of this process."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .connect import is_writable, open_connection, open_or_create, require_current
    from .connection_class import Connection
    from .pool import ConnectionPool, PooledConnection
    from .read_only import ReadOnlyConnection
    from .read_only_files import build_unlocked_uri, keep_index_in_memory
    from .siblings import Sibling, claim_index, register_sibling

__all__ = [
    "Connection",
    "ConnectionPool",
    "PooledConnection",
    "ReadOnlyConnection",
    "Sibling",
    "build_unlocked_uri",
    "claim_index",
    "is_writable",
    "keep_index_in_memory",
    "open_connection",
    "open_or_create",
    "register_sibling",
    "require_current",
]

__getattr__ = export_lazily(
    __name__,
    {
        "connect": ["is_writable", "open_connection", "open_or_create", "require_current"],
        "connection_class": ["Connection"],
        "pool": ["ConnectionPool", "PooledConnection"],
        "read_only": ["ReadOnlyConnection"],
        "read_only_files": ["build_unlocked_uri", "keep_index_in_memory"],
        "siblings": ["Sibling", "claim_index", "register_sibling"],
    },
)
