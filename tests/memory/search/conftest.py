"""Ranking does not depend on the database: `tests/memory/postgres/test_ranking.py` compares both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from aurora.memory import Memory


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    return file_memory
