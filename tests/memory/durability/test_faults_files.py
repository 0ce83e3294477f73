"""Files as no one would wish them, right through indexing: endless lines, growing logs, circles, crowds, odd names.

`AURORA_MANY_FILES=100000` fills one folder with that many.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.memory.maintenance.check import check_memory

if TYPE_CHECKING:
    from aurora.memory import Memory

MANY = int(os.environ.get("AURORA_MANY_FILES", "2000"))

# Adds a few hundred lines each time it is told to, in writes that end in the middle of a character.
GROW = """
import sys

with open(sys.argv[1], "ab", buffering=0) as file:
    for told in sys.stdin:
        for number in range(500):
            line = f"line é {number} zanzibar\\n".encode()
            file.write(line[:6])
            file.write(line[6:])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    (place / "sound.py").write_text("def sound():\n    return 'zanzibar'\n", encoding="utf-8")
    return place


def paths_of(memory: Memory) -> set[str | None]:
    return {chunk.path for chunk in memory.iter_chunks()}


@pytest.mark.parametrize("end", ["py", "js", "c", "md", "json", "txt"])
def test_a_line_of_ten_megabytes_is_left_out_by_name_and_the_file_beside_it_is_found(
    memory: Memory, project: Path, end: str
) -> None:
    (project / f"long.{end}").write_text("x" * 10_000_000 + "\n", encoding="utf-8")
    report = memory.index(project)
    assert [(skip.path, skip.reason) for skip in report.skipped] == [(f"long.{end}", "huge")]
    assert "10,000,001 bytes" in report.skipped[0].detail
    assert {hit.chunk.path for hit in memory.search("zanzibar").hits} == {"sound.py"}
    assert check_memory(memory.path) == ()


@pytest.mark.parametrize("end", ["py", "js", "c", "rb", "md", "rst", "txt"])
def test_a_line_of_hundreds_of_kilobytes_among_others_is_indexed_and_searched(
    memory: Memory, project: Path, end: str
) -> None:
    line = "zanzibar(" + "a, " * 40_000 + ")\n"
    (project / f"wide.{end}").write_text("short = 1\n" * 14_000 + line, encoding="utf-8")
    report = memory.index(project)
    assert report.skipped == ()
    hits = memory.search("zanzibar", path_glob=f"wide.{end}").hits
    assert hits
    assert len(hits[0].preview) < 2_000
    assert check_memory(memory.path) == ()


def test_a_file_that_grows_while_it_is_read_is_in_the_end_held_as_it_is(memory: Memory, project: Path) -> None:
    log = project / "growing.txt"
    log.touch()
    with subprocess.Popen([sys.executable, "-c", GROW, str(log)], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        for _ in range(30):
            writer.stdin.write(b"go on\n")
            writer.stdin.flush()
            report = memory.index(project)
            assert {skip.reason for skip in report.skipped} <= {"binary"}  # cut in the middle of a character
            assert memory.search("zanzibar").hits
    assert writer.returncode == 0
    memory.index(project)
    assert memory.index(project).unchanged == 2
    held = sorted((one for one in memory.iter_chunks() if one.path == "growing.txt"), key=lambda one: one.start_line)
    assert "\n".join(one.text for one in held) == log.read_text(encoding="utf-8").rstrip("\n")
    assert check_memory(memory.path) == ()


def test_a_file_that_outgrows_the_limit_while_it_is_watched_leaves_the_memory(memory: Memory, project: Path) -> None:
    log = project / "growing.txt"
    log.write_text("a line about zanzibar\n" * 100, encoding="utf-8")
    memory.index(project)
    assert "growing.txt" in paths_of(memory)
    log.write_text("a line about zanzibar\n" * 100_000, encoding="utf-8")
    report = memory.index(project)
    assert [skip.reason for skip in report.skipped] == ["huge"]
    assert "growing.txt" not in paths_of(memory)
    log.write_text("a line about zanzibar\n" * 10, encoding="utf-8")
    assert memory.index(project).added == 1


def test_links_in_circles_are_gone_through_once_and_nothing_outside_is_read(memory: Memory, project: Path) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "private.py").write_text("def private_thing():\n    return 'zanzibar'\n", encoding="utf-8")
    (outside / "back").symlink_to(project)
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "deep.py").write_text("def deep():\n    return 1\n", encoding="utf-8")
    (inner / "up").symlink_to(project)
    (inner / "here").symlink_to(".")
    (project / "one").symlink_to("two")
    (project / "two").symlink_to("one")
    (project / "out").symlink_to(outside)
    (project / "private.py").symlink_to(outside / "private.py")
    report = memory.index(project)
    assert paths_of(memory) == {"sound.py", "a/b/deep.py"}
    assert {skip.path: skip.reason for skip in report.skipped} == {
        "a/b/here": "link",
        "a/b/up": "link",
        "one": "link",
        "two": "link",
        "out": "outside",
        "private.py": "outside",
    }
    assert b"private_thing" not in memory.path.read_bytes() + memory.path.with_name("memory.db-wal").read_bytes()
    assert memory.index(project, paths=[Path("a/b/up")]).unchanged == 2


def test_a_folder_of_very_many_files_is_indexed_once_and_looked_through_the_next_time(
    memory: Memory, project: Path
) -> None:
    for number in range(MANY):
        (project / f"f{number:06}.py").write_text(f"def function_{number}():\n    return {number}\n", encoding="utf-8")
    report = memory.index(project)
    assert (report.added, report.skipped) == (MANY + 1, ())
    last = MANY - 1
    assert memory.search(f"function_{last}").hits[0].chunk.path == f"f{last:06}.py"
    again = memory.index(project)
    assert (again.added, again.changed, again.unchanged) == (0, 0, MANY + 1)
    (project / f"f{last:06}.py").unlink()
    assert memory.index(project).removed == 1
    assert f"f{last:06}.py" not in [hit.chunk.path for hit in memory.search(f"function_{last}").hits]
    assert check_memory(memory.path) == ()


def test_names_that_are_not_utf8_are_told_and_everything_else_is_indexed_and_searched(
    memory: Memory, project: Path
) -> None:
    def odd(name: bytes) -> Path:
        return Path(os.fsdecode(os.fsencode(project) + b"/" + name))

    odd(b"caf\xe9.py").write_text("def hidden():\n    return 'zanzibar'\n", encoding="utf-8")
    odd(b"d\xff").mkdir()
    odd(b"d\xff/inner.py").write_text("def inner():\n    return 'zanzibar'\n", encoding="utf-8")
    odd(b"lost").symlink_to(os.fsdecode(b"nowhere\xfe"))
    odd(b"way").symlink_to(odd(b"caf\xe9.py").name)
    odd("naïve 漢字 \n\t'\".py".encode()).write_text("def odd():\n    return 'zanzibar'\n", encoding="utf-8")
    report = memory.index(project)
    assert {skip.path: skip.reason for skip in report.skipped} == {
        "caf\\xe9.py": "name",
        "d\\xff": "name",
        "lost": "link",
        "way": "link",
    }
    for skip in report.skipped:
        assert (skip.path + skip.detail).encode("utf-8")
    found = memory.search("zanzibar")
    assert {hit.chunk.path for hit in found.hits} == {"sound.py", "naïve 漢字 \n\t'\".py"}
    assert memory.index(project).unchanged == 2
    assert check_memory(memory.path) == ()
