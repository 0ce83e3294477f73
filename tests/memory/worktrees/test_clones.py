"""A second clone that is told where the first is parses only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.memory import database_path
from aurora.memory.indexing import reuse

from .conftest import open_memory, remember

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import RunGit


@pytest.fixture
def clone(main: Path, git: RunGit, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with one other file, which is told where the first one is."""
    git(main, "clone", "-q", str(main), "../clone")
    root = main.with_name("clone")
    (root / "fill.py").write_text("def fill_queue():\n    return drain_again()\n", encoding="utf-8")
    monkeypatch.setenv("AURORA_OTHER_CLONE", str(main))
    return root


def list_parsed(root: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Index a clone; return the paths of the files that it parses."""
    parsed: set[str] = set()
    look_up = reuse.reuse_contents

    def note(*given: object) -> object:
        batches, jobs = look_up(*given)  # type: ignore[arg-type]
        parsed.update(job.file.path for job in jobs)
        return batches, jobs

    monkeypatch.setattr("aurora.memory.indexing.run.reuse_contents", note)
    with open_memory(root) as memory:
        memory.index(root)
    return parsed


def test_a_second_clone_parses_only_what_differs(main: Path, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        remember(memory, "The queue has five places")
    assert list_parsed(clone, monkeypatch) == {"fill.py"}
    monkeypatch.delenv("AURORA_OTHER_CLONE")
    with open_memory(clone) as memory:
        told = [(hit.chunk.id, hit.score) for hit in memory.search("drain the queue").hits]
        assert {chunk.path for chunk in memory.iter_chunks()} == {"fill.py", "queue.py"}, "facts stay where they are"
    plain = clone.with_name("plain")
    clone.rename(plain)
    database_path(plain).unlink()
    with open_memory(plain) as memory:
        memory.index(plain)
        assert [(hit.chunk.id, hit.score) for hit in memory.search("drain the queue").hits] == told


@pytest.mark.parametrize("named", ["", "nowhere", "~nobody/x", "../clone", "/dev/null"])
def test_a_folder_without_a_memory_changes_nothing(named: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_OTHER_CLONE", named)
    assert list_parsed(clone, monkeypatch) == {"fill.py", "queue.py"}


def test_a_damaged_memory_of_the_first_clone_is_ignored(
    main: Path, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(main) as memory:
        memory.index(main)
    database_path(main).write_bytes(b"no database" * 1000)
    assert list_parsed(clone, monkeypatch) == {"fill.py", "queue.py"}
