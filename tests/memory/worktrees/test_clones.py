"""A second clone that is told where the first is parses only what differs."""

from __future__ import annotations

import random
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from aurora.memory import database_path
from aurora.memory.indexing import reuse
from aurora.memory.maintenance import check_memory
from aurora.memory.records import forget_records
from aurora.memory.text_index.read import decode_block
from tests.memory.conftest import copy_library

from .conftest import list_facts, open_memory, remember
from .test_views import assert_is_fresh

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.conftest import RunForked

    from .conftest import RunGit

KILLS = 4
WORK = """
import os
import sys
from pathlib import Path
from aurora.memory import Memory, database_path

os.environ["AURORA_OTHER_CLONE"] = sys.argv[2]
print(flush=True)
with Memory.open(database_path(Path(sys.argv[1]))) as memory:
    memory.index(Path(sys.argv[1]))
"""


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


def test_a_second_clone_has_the_index_of_the_first_without_its_records(main: Path, clone: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        remember(memory, "The zebrafish of the queue has five places")
    with open_memory(clone) as memory:
        report = memory.index(clone)
        assert (report.added, report.changed, report.unchanged) == (0, 1, 1)
        assert not memory.search("zebrafish").hits
        assert check_memory(memory.path) == ()
        uses = [hit.chunk.symbol for hit in memory.search("drain the queue").hits]
        assert "drain_queue" in uses
        with memory.store.begin_read() as db:
            terms = {term for _, body in db.postings.iter_blocks() for term in decode_block(body).terms}
        assert b"drain" in terms
        assert not [term for term in terms if term.startswith(b"zebra")], "no word of a fact that stayed where it is"


def test_a_record_that_is_written_while_the_index_is_copied_stays(main: Path, clone: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
    kept: list[str] = []

    def write(*given: object) -> None:
        if not kept:
            assert given[2] == "copying the index of another clone"
            with open_memory(clone) as other:
                kept.append(remember(other, "Nothing may overwrite this"))

    with open_memory(clone) as memory:
        memory.index(clone, progress=write)
        assert {chunk.path for chunk in memory.iter_chunks() if chunk.path} == {"fill.py", "queue.py"}
        assert list_facts(memory) == {"Nothing may overwrite this"}
        assert [hit.chunk.id for hit in memory.search("nothing may overwrite this", types=("know",)).hits] == kept


def test_a_memory_that_had_a_record_is_not_filled_as_a_whole(main: Path, clone: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
    with open_memory(clone) as memory:
        remember(memory, "A server has cached the number of this")
        forget_records(memory.store, [chunk.id for chunk in memory.iter_chunks()])
        said: list[str] = []
        memory.index(clone, progress=lambda *given: said.append(str(given[2])))
        assert "copying the index of another clone" not in said
        assert {chunk.path for chunk in memory.iter_chunks()} == {"fill.py", "queue.py"}


@pytest.mark.parametrize("named", ["", "nowhere", "~nobody/x", "../clone", "/dev/null"])
def test_a_folder_without_a_memory_changes_nothing(named: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_OTHER_CLONE", named)
    assert list_parsed(clone, monkeypatch) == {"fill.py", "queue.py"}


def test_a_named_folder_without_a_memory_is_reported_once(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURORA_OTHER_CLONE", "nowhere")
    with open_memory(clone) as memory:
        note = memory.index(clone).note
        assert 'AURORA_OTHER_CLONE names "nowhere", which has no memory' in note
        assert "run `aur mem index` there first" in note
        assert memory.index(clone).note == ""


def test_a_damaged_memory_of_the_first_clone_is_ignored(
    main: Path, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(main) as memory:
        memory.index(main)
    database_path(main).write_bytes(b"no database" * 1000)
    assert list_parsed(clone, monkeypatch) == {"fill.py", "queue.py"}


def test_a_clone_that_is_killed_while_it_starts_has_no_file_of_the_first(
    main: Path, clone: Path, run_forked: RunForked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_library(main, ("json", "email"))
    with open_memory(main) as memory:
        memory.index(main)
    code, whole = run_forked(WORK, clone, main)
    assert code == 0
    draw = random.Random(5)  # noqa: S311 - moments, not secrets
    for attempt in range(KILLS):
        shutil.rmtree(clone / ".aurora")
        code, _ = run_forked(WORK, clone, main, kill_after=draw.uniform(0, whole))
        assert code in {0, -signal.SIGKILL}
        with open_memory(clone) as memory:
            assert {chunk.path for chunk in memory.iter_chunks()} <= {"fill.py", "queue.py"}
            memory.index(clone)
        with open_memory(clone) as memory, monkeypatch.context() as alone:
            alone.delenv("AURORA_OTHER_CLONE")
            assert_is_fresh(memory, clone, tmp_path / f"fresh-{attempt}")
        assert check_memory(database_path(clone)) == ()
