"""Exact search: all lines that match, and what was searched, so that nothing is evidence."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUEUE = '''"""Queues; see add_task."""


class Queue:
    def add_task(self, task):
        """Add it; add_task never blocks."""
        # add_task is called by workers
        self.tasks.append(task)  # not add_task itself


def main(queue):
    queue.add_task(1)
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src/queue.py").write_text(QUEUE, encoding="utf-8")
    (root / "tests/test_queue.py").write_text("def test_add(queue):\n    queue.add_task(2)\n", encoding="utf-8")
    (root / "README.md").write_text("# Tasks\n\nCall `add_task`.\n\n## More\n\nNothing.\n", encoding="utf-8")
    return root


@pytest.fixture
def search(root: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        yield lambda query, **more: call_tool(workspace, "mem.search", {"query": query, "exact": True, **more})


def test_all_lines_are_listed_with_their_definition_and_role(search: Any) -> None:
    found = search("add_task")
    assert (found["total"], found["complete"]) == (8, True)
    assert [(one["path"], one["role"]) for one in found["matches"]] == [
        ("src/queue.py", "code"),
        ("tests/test_queue.py", "test"),
        ("README.md", "document"),
    ]
    assert found["matches"][0]["text"].split("\n") == [
        "[comment]",
        '1:"""Queues; see add_task."""',
        "[Queue.add_task]",
        "5:def add_task(self, task):",
        "[Queue.add_task, comment]",
        '6:"""Add it; add_task never blocks."""',
        "7:# add_task is called by workers",
        "8:self.tasks.append(task)  # not add_task itself",
        "[main]",
        "12:queue.add_task(1)",
    ]
    assert found["matches"][2]["text"] == "[Tasks]\n3:Call `add_task`."
    assert found["hits"] == []


def test_nothing_says_what_was_searched_and_what_was_left_out(search: Any, root: Path) -> None:
    (root / "picture.png").write_bytes(b"\x89PNG\0\0cancel_task")
    (root / "large.txt").write_text("cancel_task\n" * 100_000, encoding="utf-8")
    (root / "out.txt").symlink_to("/etc/hostname")
    found = search("cancel_task")
    assert (found["total"], found["complete"], found["matches"]) == (0, True, [])
    searched = found["searched"]
    assert searched.startswith("3 files, ")
    assert "1 binary (picture.png)" in searched
    assert "1 too large (large.txt)" in searched
    assert "1 outside (out.txt)" in searched


def test_files_are_read_as_they_are_now(search: Any, root: Path) -> None:
    (root / "src/new.py").write_text("def later():\n    return 'fresh_text'\n", encoding="utf-8")
    (root / "src/queue.py").write_text("fresh_text = 1\n", encoding="utf-8")
    found = search("fresh_text")
    assert [(one["path"], one["text"]) for one in found["matches"]] == [
        ("src/new.py", "2:return 'fresh_text'"),
        ("src/queue.py", "1:fresh_text = 1"),
    ]
    assert search("queue.add_task(1)")["total"] == 0


def test_no_index_is_needed(root: Path) -> None:
    with Workspace(root) as workspace:
        found = call_tool(workspace, "mem.search", {"query": "add_task(", "exact": True})
    assert found["total"] == 3
    assert not (root / ".aurora").exists()


def test_a_pattern_matches_line_by_line(search: Any) -> None:
    found = search(r"^\s+queue\.add_\w+\(\d\)$", regex=True)["matches"]
    assert [one["text"] for one in found] == [
        "[main]\n12:queue.add_task(1)",
        "[test_add]\n2:queue.add_task(2)",
    ]
    assert search("(?i)ADD_TASK", regex=True)["total"] == 8
    assert search("^def main", path="tests/**", regex=True)["total"] == 0


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(a)\1", "(", "(a{1000}){1000}"])
def test_a_pattern_that_needs_backtracking_is_refused(search: Any, pattern: str) -> None:
    with pytest.raises(Fault) as caught:
        search(pattern, regex=True)
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"^(\w+\s?)+$", "(a|aa)+b", "(.*){20}x"])
def test_a_pattern_bomb_takes_no_time(search: Any, root: Path, pattern: str) -> None:
    (root / "bomb.txt").write_text(("a" * 5000 + "!\n") * 20, encoding="utf-8")
    before = time.process_time()
    found = search(pattern, regex=True)
    assert time.process_time() - before < 5
    assert found["complete"] or "bomb.txt" in found["searched"]


def test_filters_select_files(search: Any) -> None:
    assert [one["path"] for one in search("add_task", path="src/**")["matches"]] == ["src/queue.py"]
    assert [one["path"] for one in search("add_task", types=["know"])["matches"]] == ["README.md"]
    assert search("add_task", language="python")["total"] == 7
    assert "no file has this path" in search("add_task", path="../*")["searched"]
    with pytest.raises(Fault, match="past reasoning"):
        search("add_task", types=["reas"])
    with pytest.raises(Fault, match="ranked search"):
        search("add_task", kind="class")


def test_more_than_fits_is_counted_by_file_and_comes_in_pages(search: Any, root: Path) -> None:
    for name in "abc":
        text = "".join(f"value = frobnicate({number})\n" for number in range(1, 401))
        (root / f"src/{name}.py").write_text(text, encoding="utf-8")
    offset, lines, pages = 0, list[str](), 0
    while offset is not None:
        found = search("frobnicate(", offset=offset)
        assert found["total"] == 1200
        assert found["complete"] is False
        assert pages or found["counts"]["src/c.py"] == 400
        lines += [f"{one['path']}:{line}" for one in found["matches"] for line in one["text"].split("\n")]
        offset, pages = found.get("next_offset"), pages + 1
    assert 1 < pages < 6
    assert lines == [f"src/{name}.py:{n}:value = frobnicate({n})" for name in "abc" for n in range(1, 401)]
    assert len(search("frobnicate(", limit=3)["matches"][0]["text"].split("\n")) == 3


def test_two_hundred_thousand_matches_fit_into_one_response(search: Any, root: Path) -> None:
    for number in range(20):
        (root / f"many_{number}.txt").write_text("x y\n" * 10_000, encoding="utf-8")
    found = search("x y")
    assert found["total"] == 200_000
    assert len(str(found)) < 19_000


def test_of_a_long_line_what_is_around_the_match_is_shown(search: Any, root: Path) -> None:
    (root / "wide.txt").write_text(f"{'blah ' * 1000}needle{' blah' * 1000}\n", encoding="utf-8")
    for more in ({}, {"regex": True}):
        [one] = search("needle", **more)["matches"]
        assert "needle" in one["text"]
        assert len(one["text"]) < 230


def test_lines_with_secrets_are_not_searched(search: Any, root: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    (root / "src/config.py").write_text(f'TOKEN = "{token}"\nOTHER = 1\n', encoding="utf-8")
    for part in (token, token[:12], "TOKEN = "):
        assert search(part)["total"] == 0
    assert search("OTHER")["total"] == 1


def test_a_text_of_several_lines_is_found_at_its_first_line(search: Any, root: Path) -> None:
    (root / "dos.txt").write_bytes(b"one\r\ntwo\r\nthree\r\none\r\ntwo\r\n")
    [one] = search("one\ntwo")["matches"]
    assert one["text"] == "1:one\n4:one"


def test_a_pipe_in_the_project_does_not_block(search: Any, root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert search("add_task")["total"] == 8
