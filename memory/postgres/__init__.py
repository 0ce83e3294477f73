"""PostgreSQL storage of the memory: many projects in one database, and all of its SQL.

Needs the extra `team`. Every table has the project first in its keys, and every statement names it.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .address import parse_address
    from .store import PostgresStore
    from .transaction import PostgresTables

__all__ = ["PostgresStore", "PostgresTables", "parse_address"]

__getattr__ = export_lazily(
    __name__,
    {
        "address": ["parse_address"],
        "store": ["PostgresStore"],
        "transaction": ["PostgresTables"],
    },
)
