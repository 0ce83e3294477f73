"""Every run here is kept in a file, and once more in a database server."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def database_kind(either_database: str) -> str:
    return either_database
