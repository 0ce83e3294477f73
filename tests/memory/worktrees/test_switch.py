"""A switch between branches parses only contents that the memory has not seen, and leaves no trace in the answers."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

import apsw
import pytest

from aurora.memory.files import read_rules_key
from aurora.memory.indexing.changes import find_changes
from aurora.memory.indexing.contents import FileState, build_rules_key, decode_file
from aurora.memory.indexing.reuse import reuse_contents
from tests.memory.conftest import copy_library

from .conftest import open_memory
from .test_views import assert_is_fresh, change_tree

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Memory

    from .conftest import RunGit


def list_unseen(memory: Memory, root: Path) -> list[str]:
    """List the files that the next indexing parses."""
    with memory.store.begin_read() as db:
        known = db.files.get_known()
    jobs = find_changes(root, known, ()).jobs
    _, left = reuse_contents(memory.store, root, jobs, known, build_rules_key(read_rules_key(root)))
    return [job.file.path for job in left]


def commit_change(root: Path, git: RunGit, branch: str) -> None:
    git(root, "switch", "-q", "-c", branch)
    change_tree(root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", branch)


def test_a_switch_back_parses_nothing(main: Path, git: RunGit, tmp_path: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        commit_change(main, git, "topic")
        assert sorted(list_unseen(memory, main)) == ["fill.py", "other.py"]
        memory.index(main)
        for branch in ("main", "topic", "main"):
            git(main, "switch", "-q", branch)
            assert list_unseen(memory, main) == []
            assert memory.index(main).embedded == 0
            assert_is_fresh(memory, main, tmp_path / branch)
            (tmp_path / branch / "main.db").unlink()


def test_files_that_a_switch_of_the_watched_project_changes_are_kept(main: Path, git: RunGit) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        commit_change(main, git, "topic")
        memory.index(main, paths=[main / "fill.py", main / "queue.py", main / "other.py"])
        git(main, "switch", "-q", "main")
        assert list_unseen(memory, main) == []


def test_an_edit_keeps_nothing(main: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
        change_tree(main)
        memory.index(main)
        with memory.store.begin_read() as db:
            assert db.contents.list_paths() == set()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no zlib",
        zlib.compress(b"{"),
        zlib.compress(b"[]"),
        zlib.compress(b'{"chunks": 5}'),
        zlib.compress(
            b'{"language": "x", "parsed": true, "type": "code", "chunks": [[1]], "vectors": {}, "graph": null}'
        ),
        zlib.compress(b'{"language": 5, "parsed": true, "type": "code", "chunks": [], "vectors": {}, "graph": null}'),
        zlib.compress(bytes(40_000_000)),
        zlib.compress(b"[" * 200_000),
    ],
)
def test_a_damaged_content_is_parsed_again(body: bytes) -> None:
    assert decode_file(body, FileState("a.py", "0" * 64, 1, 1)) is None


@pytest.mark.parametrize("seed", range(2))
def test_any_walk_between_commits_equals_a_fresh_memory(main: Path, git: RunGit, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be run again
    copy_library(main, ("json",))
    names = sorted(path.relative_to(main).as_posix() for path in main.rglob("*.py"))
    for n in range(4):
        git(main, "switch", "-q", "-c", f"b{n}")
        for name in chance.sample(names, 5):
            path = main / name
            text = path.read_text(encoding="utf-8") if path.exists() else "def back():\n    drain_queue()\n"
            lines = text.splitlines(keepends=True)
            path.write_text("".join(lines[: chance.randrange(len(lines) + 1)]), encoding="utf-8")
        (main / chance.choice(names)).unlink(missing_ok=True)
        git(main, "add", "-A")
        git(main, "commit", "-q", "-m", f"b{n}")
    with open_memory(main) as memory:
        memory.index(main)
        for _ in range(6):
            git(main, "switch", "-q", chance.choice(["main", "b0", "b1", "b2", "b3"]))
            memory.index(main)
        assert_is_fresh(memory, main, tmp_path / "fresh")


def test_contents_of_other_worktrees_are_not_parsed_again(
    main: Path, linked: Path, git: RunGit, tmp_path: Path
) -> None:
    with open_memory(main) as here, open_memory(linked) as there:
        here.index(main)
        there.index(linked)
        change_tree(linked)
        git(linked, "add", "-A")
        git(linked, "commit", "-q", "-m", "second")
        there.index(linked)
        git(main, "merge", "-q", "topic")
        assert list_unseen(here, main) == []
        assert here.index(main).embedded == 0
        assert_is_fresh(here, main, tmp_path / "fresh")


@pytest.mark.parametrize("seed", range(1))
def test_worktrees_that_walk_between_commits_equal_fresh_memories(
    main: Path, linked: Path, git: RunGit, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be run again
    copy_library(main, ("json",))
    git(main, "add", "-A")
    git(main, "commit", "-q", "-m", "library")
    names = sorted(path.relative_to(main).as_posix() for path in main.rglob("*.py"))
    commits = [git(main, "rev-parse", "HEAD")]
    for n in range(3):
        for name in chance.sample(names, 4):
            lines = (main / name).read_text(encoding="utf-8").splitlines(keepends=True)
            del lines[chance.randrange(len(lines) + 1) :]
            (main / name).write_text("".join(lines), encoding="utf-8")
        git(main, "commit", "-q", "-a", "--allow-empty", "-m", str(n))
        commits.append(git(main, "rev-parse", "HEAD"))
    with open_memory(main) as here, open_memory(linked) as there:
        for _ in range(8):
            memory, root = chance.choice([(here, main), (there, linked)])
            git(root, "checkout", "-q", "--detach", chance.choice(commits))
            memory.index(root)
        for memory, root in ((here, main), (there, linked)):
            memory.index(root)
            assert_is_fresh(memory, root, tmp_path / "fresh")


def test_a_damaged_row_of_a_replaced_file_does_not_stop_the_indexing(main: Path, git: RunGit, tmp_path: Path) -> None:
    with open_memory(main) as memory:
        memory.index(main)
    db = apsw.Connection(str(main / ".aurora/memory.db"))
    db.execute("UPDATE chunks SET metadata = '[' WHERE path = 'fill.py'")
    db.close()
    commit_change(main, git, "topic")
    with open_memory(main) as memory:
        memory.index(main)
        assert_is_fresh(memory, main, tmp_path / "fresh")
