"""These tests look into the file of the memory, or start processes that open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from aurora.memory import Memory


@pytest.fixture
def memory(file_memory: Memory) -> Memory:
    return file_memory
