"""A check and a repair read the memory again when others write it meanwhile, and report a conflict only in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory
from aurora.memory.maintenance import check_memory, repair_memory
from aurora.memory.sqlite.file_state import read_state
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PART = "checking the words"


class Writer:
    """Writes to the memory while a part of it is checked, as the indexer of a server does.

    Args:
        database: the memory.
        writes: writes at most this often.
        stays_open: leaves the memory open, with its log; else closes it, which moves its log into the database.
    """

    def __init__(self, database: Path, *, writes: int = 1, stays_open: bool = False) -> None:
        self.database = database
        self.checks = 0
        self._writes = writes
        self._stays_open = stays_open
        self._opened: list[Memory] = []

    def __call__(self, done: float, total: float | None, message: str) -> None:
        del done, total
        if message != PART:
            return
        self.checks += 1
        if self.checks <= self._writes:
            memory = Memory.open(self.database)
            for number in range(50):
                text = f"written during check {self.checks}, number {number}"
                memory.remember(type="know", kind="fact", symbol=f"fact {self.checks} {number}", text=text, metadata={})
            self._opened.append(memory)
            if not self._stays_open:
                memory.close()

    def close(self) -> None:
        for memory in self._opened:
            memory.close()


@pytest.fixture
def filled(memory: Memory, library: Path) -> Path:
    """A memory that no process has open: without a log."""
    memory.index(library)
    memory.close()
    assert read_state(str(memory.path)).log is None
    return memory.path


@pytest.mark.parametrize("stays_open", [False, True])
def test_a_memory_that_is_written_during_its_check_is_checked_again(filled: Path, *, stays_open: bool) -> None:
    writer = Writer(filled, stays_open=stays_open)
    assert check_memory(filled, writer) == ()
    assert writer.checks == 2
    writer.close()


def test_a_memory_that_is_written_during_every_check_is_reported(filled: Path) -> None:
    writer = Writer(filled, writes=1000)
    with pytest.raises(Fault, match="changed the memory") as caught:
        check_memory(filled, writer)
    assert caught.value.code is Code.CONFLICT
    assert 1 < writer.checks < 10


def test_a_repair_next_to_a_writer_moves_no_intact_memory(filled: Path, library: Path) -> None:
    writer = Writer(filled, writes=2)
    done = repair_memory(filled, library, writer)
    assert (done.found, done.damaged_path) == ((), None)


def test_a_repair_through_a_server_that_indexes_meanwhile_is_done(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "code.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    with Workspace(root) as project:
        call_tool(project, "mem.index", {})
    (root / "code.py").write_text("def g():\n    return 2\n", encoding="utf-8")
    with Workspace(root) as project:

        def index(_done: float, _total: float | None, message: str) -> None:
            if message == PART:
                project.memory.index(root)

        assert call_tool(project, "mem.repair", {}, progress=index)["ok"]
