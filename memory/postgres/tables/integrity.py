"""Integrity check of the schema; the server checks its pages itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.postgres.schema import TABLES
from aurora.memory.postgres.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class IntegrityQueries(Table):
    """Integrity queries, whatever the tables contain."""

    def check_integrity(self, most: int) -> Sequence[str]:
        """List checksum failures of the server's pages in this database."""
        sql = "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
        failures = self._fetch_value(sql)
        return [f"the server found {failures} damaged pages"][:most] if failures else []

    def list_missing_objects(self) -> Sequence[str]:
        """List the missing tables."""
        sql = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        return sorted(set(TABLES).difference(self._fetch_column(sql)))
