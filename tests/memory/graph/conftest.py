"""The graph is linked in Python; `tests/memory/indexing/test_run.py` writes and reads it in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from aurora.memory import Memory


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    return file_memory
