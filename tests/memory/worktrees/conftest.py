"""A repository with a main worktree and a linked one, made by git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from aurora.memory import Memory, database_path
from tests.git import run_git

if TYPE_CHECKING:
    from pathlib import Path


class RunGit(Protocol):
    """Runs git in a folder."""

    def __call__(self, root: Path, *words: str) -> str:
        """Return its output."""


@pytest.fixture
def git() -> RunGit:
    return run_git


@pytest.fixture
def main(tmp_path: Path, git: RunGit) -> Path:
    root = tmp_path / "main"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "queue.py").write_text("def drain_queue():\n    return fill_queue()\n", encoding="utf-8")
    (root / "fill.py").write_text("def fill_queue():\n    return 5\n", encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


@pytest.fixture
def linked(main: Path, git: RunGit) -> Path:
    git(main, "worktree", "add", "-q", "-b", "topic", "../linked")
    return main.with_name("linked")


def open_memory(root: Path) -> Memory:
    """Open the memory of a worktree."""
    return Memory.open(database_path(root))


def remember(memory: Memory, text: str) -> str:
    """Add a fact and return its id."""
    return memory.remember(type="know", kind="fact", symbol=text[:20], text=text, metadata={})[0]


def list_facts(memory: Memory) -> set[str]:
    """Return the texts of the facts that a memory has."""
    return {chunk.text for chunk in memory.iter_chunks() if chunk.path is None}
