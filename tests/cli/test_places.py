"""Places in files are relative to the current folder, in what is typed and in what is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from aurora.cli.project import relate_places, split_lines_place, to_project_pattern, to_project_place

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


@pytest.fixture
def indexed(aur: Aur, project: Path) -> Path:
    """The project after an indexing, with a folder of the same names as another."""
    (project / "more").mkdir()
    (project / "more" / "types.py").write_text("def convert_more():\n    return 1\n", encoding="utf-8")
    assert aur("mem", "index").returncode == 0
    return project


def test_a_hit_is_printed_for_the_current_folder_and_can_be_pasted(aur: Aur, indexed: Path) -> None:
    inside = aur("mem", "search", "ParamType", cwd=indexed / "click").stdout
    places = re.findall(r"^(\S+?:\d+)  ", inside, re.MULTILINE)
    assert "types.py" in {place.partition(":")[0] for place in places}
    for place in places[:3]:
        read = aur("mem", "get", place, cwd=indexed / "click")
        assert read.returncode == 0
        assert read.stdout.startswith(f"{place}-")
    above = aur("mem", "search", "convert_more", cwd=indexed / "click").stdout
    assert above.startswith("../more/types.py:1  convert_more")


def test_outside_of_the_project_places_are_absolute(aur: Aur, indexed: Path, tmp_path: Path) -> None:
    shown = aur("--project", str(indexed), "mem", "search", "convert_more", cwd=tmp_path).stdout
    assert shown.startswith(f"{indexed}/more/types.py:1  convert_more")


def test_json_keeps_the_paths_from_the_root(aur: Aur, indexed: Path) -> None:
    hits = json.loads(aur("mem", "search", "convert_more", "--json", cwd=indexed / "click").stdout)["hits"]
    assert hits[0]["path"] == "more/types.py"


def test_a_file_of_the_current_folder_is_meant_before_others_of_its_name(aur: Aur, indexed: Path) -> None:
    assert "ambiguous" in aur("graph", "members", "types.py").stderr
    assert "more/types.py::convert_more" in aur("graph", "members", "types.py", cwd=indexed / "more").stdout
    assert aur("graph", "node", "types.py:1", cwd=indexed / "more").stdout.count("more/types.py::convert_more")
    whole = aur("graph", "node", "more/types.py::convert_more", cwd=indexed / "click").stdout
    assert "../more/types.py:1-2" in whole


def test_a_pattern_that_begins_with_a_folder_here_means_that_one(aur: Aur, indexed: Path) -> None:
    (indexed / "click" / "more").mkdir()
    (indexed / "click" / "more" / "inner.py").write_text("def convert_inner():\n    return 2\n", encoding="utf-8")
    aur("mem", "index")
    found = aur("mem", "search", "convert", "--path", "more/*.py", cwd=indexed / "click").stdout
    assert "convert_inner" in found
    assert "convert_more" not in found


def test_a_place_without_a_file_is_refused(aur: Aur, indexed: Path) -> None:
    for place in ("nowhere.py:3", "click/nowhere.py", "../x/types.py:1-2"):
        done = aur("mem", "get", place, cwd=indexed / "click")
        assert done.returncode != 0
        assert f'there is no file "{place.partition(":")[0]}"' in done.stderr
    assert 'there is no "docs" in the project' in aur("mem", "get", "docs").stderr


@pytest.mark.parametrize("text", ["", ":", "::", "a\0b:3", "~nobody:1", "x" * 5000, "/" * 5000, "app:1:2"])
def test_a_text_that_names_no_file_stays_as_it_is(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert to_project_place(text, tmp_path) == text
    assert split_lines_place(text, tmp_path) is None
    assert to_project_pattern(text, tmp_path) == text


def test_a_file_outside_of_the_project_is_no_place_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.chdir(root)
    assert to_project_place("../secret.py:1", root) == "../secret.py:1"


@pytest.mark.parametrize(
    ("typed", "lines"),
    [("a.py", ""), ("a.py:7", "7-26"), ("a.py:7-", "7-"), ("a.py:7-9", "7-9"), ("sub/../a.py:1", "1-20")],
)
def test_a_place_is_split_into_its_path_and_lines(
    typed: str, lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert split_lines_place(typed, tmp_path) == (str(tmp_path / "a.py"), lines)


def test_only_paths_are_related(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    given = {
        "path": "a.py",
        "text": "a.py",
        "hits": [{"path": "sub/b.py", "at": "c.py:3"}, {"path": None}, "a.py"],
        "n": 1,
    }
    assert relate_places(given, tmp_path) == {
        "path": "../a.py",
        "text": "a.py",
        "hits": [{"path": "b.py", "at": "../c.py:3"}, {"path": None}, "a.py"],
        "n": 1,
    }
    assert relate_places({"path": "/x/memory.db"}, tmp_path) == {"path": "/x/memory.db"}
