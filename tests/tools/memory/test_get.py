"""Texts by id and by path, inside the project only."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.memory import Chunk

LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "notes.txt").write_text(LINES, encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside\n", encoding="utf-8")
    return root


@pytest.fixture
def get(root: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    with Workspace(root) as workspace:
        yield lambda **arguments: call_tool(workspace, "mem.get", arguments)


@pytest.mark.parametrize(
    ("lines", "shown", "text"),
    [
        ("3-4", "3-4", "3:line 3\n4:line 4"),
        ("7", "7-7", "7:line 7"),
        ("19-", "19-20", "19:line 19\n20:line 20"),
        ("20-900", "20-20", "20:line 20"),
        (None, "1-20", "\n".join(f"{number}:line {number}" for number in range(1, 21))),
    ],
)
def test_a_range_of_lines_counts_from_one(get: Any, lines: str | None, shown: str, text: str) -> None:
    [chunk] = get(path="notes.txt", **({"lines": lines} if lines else {}))["chunks"]
    assert (chunk["lines"], chunk["text"]) == (shown, text)
    assert get(ids=[f"notes.txt:{lines}" if lines else "notes.txt"])["chunks"] == [chunk]


def test_several_places_and_lines_around_them_come_in_one_call(get: Any, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src/a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    found = get(ids=["notes.txt:10-11", "src/a.py", "notes.txt:1"], around=2)["chunks"]
    assert [(one["path"], one["lines"]) for one in found] == [
        ("notes.txt", "8-13"),
        ("src/a.py", "1-2"),
        ("notes.txt", "1-3"),
    ]
    assert found[1]["text"] == "1:def a():\n2:    return 1"
    assert get(ids=["src/a.py"], numbers=False)["chunks"][0]["text"] == "def a():\n    return 1"


def test_chunks_that_follow_each_other_leave_no_line_out(root: Path) -> None:
    source = "import os\n\n\ndef first():\n    return os\n\n\ndef second():\n    return first\n\n\nLAST = 1\n"
    (root / "a.py").write_text(source, encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        chunks = sorted((one for one in workspace.memory.iter_chunks() if one.path == "a.py"), key=_get_start)
        found = call_tool(workspace, "mem.get", {"ids": [one.id for one in chunks]})["chunks"]
        lines = [line for one in found for line in one["text"].split("\n")]
        assert lines == [f"{number}:{line}" for number, line in enumerate(source.rstrip("\n").split("\n"), 1)]
        [one] = call_tool(workspace, "mem.get", {"ids": [chunks[1].id], "around": 3})["chunks"]
        assert (one["lines"], "stale" in one) == ("1-8", False)
        (root / "a.py").write_text(f"# a line more\n{source}", encoding="utf-8")
        [one] = call_tool(workspace, "mem.get", {"ids": [chunks[1].id], "around": 3})["chunks"]
        assert (one["lines"], one["stale"]) == ("4-5", True)


def _get_start(chunk: Chunk) -> int:
    return chunk.start_line


def test_what_does_not_fit_is_named_with_its_lines(get: Any, root: Path) -> None:
    (root / "long.txt").write_text("".join(f"this is line {number}\n" for number in range(1, 3001)), encoding="utf-8")
    left, lines, calls = ["notes.txt", "long.txt:5-2900", "notes.txt:3"], list[str](), 0
    while left:
        found = get(ids=left)
        assert "next_offset" not in found
        lines += [line for one in found["chunks"] for line in one["text"].split("\n")]
        left, calls = found.get("remaining", []), calls + 1
        assert not left or (left[0].startswith("long.txt:") and left[0].endswith("-2900"))
    assert 1 < calls < 8
    assert lines[20:-1] == [f"{number}:this is line {number}" for number in range(5, 2901)]
    assert lines[-1] == "3:line 3"


def test_a_line_longer_than_a_response_comes_in_pages(get: Any, root: Path) -> None:
    (root / "wide.txt").write_text("a b " * 4_900, encoding="utf-8")
    first = get(ids=["wide.txt", "notes.txt:1"])
    assert (first["remaining"], first["next_offset"] > 1000) == (["wide.txt:1-1", "notes.txt:1-1"], True)
    following = get(ids=first["remaining"], offset=first["next_offset"])
    assert following["chunks"][0]["offset"] == first["next_offset"]


@pytest.mark.parametrize("lines", ["0", "21", "5-3", "0-4"])
def test_a_range_past_the_end_is_rejected_with_the_number_of_lines(get: Any, lines: str) -> None:
    with pytest.raises(Fault, match="the file has 20") as caught:
        get(path="notes.txt", lines=lines)
    assert caught.value.code is Code.INVALID_INPUT


def test_an_absolute_path_inside_the_project_is_the_same_file(get: Any, root: Path) -> None:
    assert get(path=str(root / "notes.txt")) == get(path="./notes.txt") == get(path="notes.txt")


def test_a_link_is_followed_only_inside_the_project(get: Any, root: Path) -> None:
    (root / "same.txt").symlink_to("notes.txt")
    (root / "file_out").symlink_to("../outside.txt")
    (root / "folder_out").symlink_to("..")
    (root / "circle").symlink_to("circle")
    (root / "nowhere").symlink_to("gone.txt")
    assert get(path="same.txt")["chunks"][0]["path"] == "notes.txt"
    codes = {}
    for path in ("file_out", "folder_out/outside.txt", "folder_out/project/../outside.txt", "circle", "nowhere"):
        with pytest.raises(Fault) as caught:
            get(path=path)
        codes[path] = caught.value.code.value
    assert codes == {
        "file_out": "FORBIDDEN",
        "folder_out/outside.txt": "FORBIDDEN",
        "folder_out/project/../outside.txt": "FORBIDDEN",
        "circle": "NOT_FOUND",
        "nowhere": "NOT_FOUND",
    }


def test_an_error_does_not_reveal_whether_a_file_outside_exists(get: Any) -> None:
    expected = []
    for path in ("../outside.txt", "../no_such.txt"):
        with pytest.raises(Fault) as caught:
            get(path=path)
        expected.append(caught.value.message.replace(path, ""))
    assert expected[0] == expected[1]


def test_a_pipe_is_rejected_without_waiting(get: Any, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(Fault) as caught:
        get(path="pipe")
    assert caught.value.code is Code.FORBIDDEN


def test_a_file_with_windows_line_ends_has_the_same_lines(get: Any, root: Path) -> None:
    (root / "dos.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert get(path="dos.txt", lines="2-3")["chunks"][0]["text"] == "2:two\n3:three"


def test_an_empty_file_is_one_empty_line(get: Any, root: Path) -> None:
    (root / "empty.txt").write_text("", encoding="utf-8")
    [chunk] = get(path="empty.txt")["chunks"]
    assert (chunk["lines"], chunk["text"]) == ("1-1", "1:")


def test_texts_that_exceed_a_response_are_returned_by_several_calls(root: Path) -> None:
    for number in range(6):
        body = "\n".join(f"    value = {part} + {number}" for part in range(150))
        (root / f"part_{number}.py").write_text(f"def part_{number}():\n{body}\n", encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        ids = [chunk.id for chunk in workspace.memory.iter_chunks() if (chunk.path or "").startswith("part_")]
        texts: dict[str, str] = {}
        left, offset, calls = ids, 0, 0
        while left:
            got = call_tool(workspace, "mem.get", {"ids": left, "offset": offset, "numbers": False})
            for chunk in got["chunks"]:
                texts[chunk["id"]] = texts.get(chunk["id"], "") + chunk["text"]
            left, offset, calls = got.get("remaining", []), got.get("next_offset", 0), calls + 1
        whole = {chunk.id: chunk.text for chunk in workspace.memory.get(ids)}
    assert calls > 1
    assert texts == whole


def test_what_is_no_part_of_the_project_is_not_shown_and_the_reason_is(root: Path, get: Any) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (
        ["init", "-q"],
        [*who, "commit", "-q", "--allow-empty", "-m", "a"],
        ["worktree", "add", "-q", "tree"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    (root / "tree/copy.py").write_text("copy = 1\n", encoding="utf-8")
    (root / ".claude").mkdir()
    (root / ".claude/settings.local.json").write_text("{}\n", encoding="utf-8")
    for path, reason in (("tree/copy.py", "worktree"), (".claude/settings.local.json", "assistant")):
        with pytest.raises(Fault, match="is no part of the project") as raised:
            get(path=path)
        assert raised.value.code is Code.FORBIDDEN
        assert raised.value.details["reason"] == reason
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (root / "build.log").write_text("failed\n", encoding="utf-8")
    assert get(path="build.log")["chunks"][0]["text"] == "1:failed"
