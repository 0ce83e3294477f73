"""`aur mem`: a real project is read, searched and shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

LEAK = f'aws_key = "{"AKIA" + "Q3EGRD7XV5TZLMNP"}"\n'  # in two parts, or this file would be one that holds a secret


def test_an_index_is_summed_up_and_names_the_secrets_it_left_out(aur: Aur, project: Path) -> None:
    (project / "deploy.py").write_text(LEAK, encoding="utf-8")

    done = aur("mem", "index")

    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("5 files (")
    assert "5 added" in done.stdout
    assert "left out: 1 line with a secret" in done.stdout
    assert "  deploy.py:1  an AWS access key" in done.stdout
    assert "Q3EGRD7XV5TZLMNP" not in done.stdout + done.stderr


def test_a_second_index_says_that_nothing_changed(aur: Aur) -> None:
    aur("mem", "index")

    done = aur("mem", "index")

    assert "4 unchanged" in done.stdout
    assert "0 newly embedded" in done.stdout


def test_an_exact_symbol_is_the_first_hit_and_its_text_can_be_read(aur: Aur) -> None:
    aur("mem", "index")

    hits = json.loads(aur("mem", "search", "FloatRange", "--json").stdout)["hits"]
    shown = aur("mem", "get", hits[0]["id"])

    assert (hits[0]["path"], hits[0]["symbol"]) == ("click/types.py", "FloatRange")
    assert shown.stdout.startswith(f"click/types.py:{hits[0]['lines']}  FloatRange  {hits[0]['id']}\n")
    assert "class FloatRange(" in shown.stdout


def test_a_search_before_the_first_index_fails_and_one_that_finds_nothing_does_not(aur: Aur, project: Path) -> None:
    for more in ((), ("--json",)):
        done = aur("mem", "search", "FloatRange", *more)
        assert done.returncode == 1
        assert "The memory is empty: run `aur mem index`." in done.stdout
    assert not (project / ".aurora").exists()
    aur("mem", "index")
    for more in ((), ("--path", "nowhere/**"), ("--json", "--path", "nowhere/**")):
        assert aur("mem", "search", "zanzibar", *more).returncode == 0


def test_hits_are_shown_with_their_place_and_why(aur: Aur) -> None:
    aur("mem", "index")

    done = aur("mem", "search", "UsageError", "--limit", "1")

    first = done.stdout.splitlines()[0]
    assert first.startswith("click/exceptions.py:")
    assert "UsageError" in first
    assert "more: --offset 1" in done.stdout


def test_a_path_is_meant_from_the_folder_where_it_was_typed(aur: Aur, project: Path) -> None:
    done = aur("mem", "get", "--path", "types.py", "--lines", "1-2", "--json", cwd=project / "click")

    assert json.loads(done.stdout)["chunks"][0]["path"] == "click/types.py"


@pytest.mark.parametrize("stage", ["index", "normalize", "extract"])
@pytest.mark.parametrize("written", ["../project", "../project/click/types.py"])
def test_a_path_of_another_project_is_refused_with_the_option_that_names_it(
    aur: Aur, project: Path, tmp_path: Path, stage: str, written: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    done = aur("mem", stage, written, cwd=elsewhere)

    assert done.returncode == 1
    assert f'is outside the project "{elsewhere}"' in done.stderr
    assert f"help: Run it there, or pass --project {project}." in done.stderr
    assert not (project / ".aurora").exists()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("words", [["mem", "stats"], ["runs", "list"], ["workflow", "list"], []])
def test_a_command_that_only_reads_leaves_nothing_behind(aur: Aur, project: Path, words: list[str]) -> None:
    done = aur(*words)

    assert done.returncode == 0, done.stderr
    assert not (project / ".aurora").exists()


def test_an_empty_memory_says_how_to_fill_it(aur: Aur) -> None:
    done = aur("mem", "search", "anything")

    assert "aur mem index" in done.stdout


@pytest.mark.parametrize(("words", "env"), [(["--read-only"], {}), ([], {"READ_ONLY": "1"})])
def test_read_only_refuses_to_index_and_writes_nothing(
    aur: Aur, project: Path, words: list[str], env: dict[str, str]
) -> None:
    done = aur("mem", "index", *words, "--json", env=env)

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "FORBIDDEN"
    assert not (project / ".aurora").exists()


def test_stats_count_what_was_indexed(aur: Aur, project: Path) -> None:
    aur("mem", "index")

    held = json.loads(aur("--json", "mem", "stats").stdout)
    shown = aur("mem", "stats").stdout

    assert (held["files"], held["root"]) == (4, str(project))
    assert set(held["languages"]) == {"markdown", "python"}
    assert f"{held['chunks']['code']} code" in shown


def test_an_index_of_some_paths_is_shown_as_one(aur: Aur) -> None:
    aur("mem", "index", "click/types.py")

    assert ", only some paths, since then 3 new (`aur mem index`)" in aur("mem", "stats").stdout
    assert "Only some paths of the project are indexed: run `aur mem index`" in aur("mem", "search", "type").stdout


def test_a_long_text_is_cut_with_the_option_that_continues(aur: Aur, project: Path) -> None:
    (project / "long.txt").write_text("line\n" * 9000, encoding="utf-8")

    shown = aur("mem", "get", "--path", "long.txt").stdout

    assert re.fullmatch(r"\d+:line\ncut; --offset \d+ shows the rest", "\n".join(shown.splitlines()[-2:]))


def test_a_file_that_is_no_database_is_moved_aside_and_named(aur: Aur, project: Path) -> None:
    database = project / ".aurora" / "memory.db"
    database.parent.mkdir()
    database.write_bytes(b"this is no database" * 100)

    done = aur("mem", "stats")

    (moved,) = database.parent.glob("memory.db.foreign-*")
    assert moved.read_bytes() == b"this is no database" * 100
    assert str(moved) in done.stderr
    assert "was not made by this account" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("words", [("mem", "index"), ("mem", "watch")])
def test_the_home_folder_is_not_read_as_a_project_unless_it_is_a_repository(
    aur: Aur, environment: dict[str, str], words: tuple[str, ...], tmp_path: Path
) -> None:
    home = tmp_path / "somebody"
    (home / "letters").mkdir(parents=True)
    done = aur(*words, cwd=home, env={**environment, "HOME": str(home)})
    assert (done.returncode, done.stdout) == (1, "")
    assert "is not a project: it contains all your files" in done.stderr
    assert not (home / ".aurora").exists()
    (home / ".git").mkdir()
    again = aur("mem", "index", "--json", cwd=home, env={**environment, "HOME": str(home)})
    assert again.returncode == 0


def test_a_count_of_one_is_singular(aur: Aur) -> None:
    name = json.loads(aur("mem", "add", "Releases are tagged on Fridays.", "--json").stdout)["id"]
    aur("mem", "add", "Read the failing test first.", "--pattern")
    aur("mem", "get", name)

    shown = aur("mem", "stats").stdout

    assert "0 code, 1 document or fact, 1 pattern\n" in shown
    assert "1 chunk, 1 time\n" in shown


@pytest.mark.parametrize("stage", ["normalize", "extract", "link"])
def test_a_stage_without_a_list_of_files_counts_them(aur: Aur, stage: str) -> None:
    shown = aur("mem", stage, "--limit", "0").stdout
    assert re.search(r"^files +[1-9]", shown, re.MULTILINE)
    assert "click/types.py" not in shown


def test_a_stage_of_a_project_without_files_says_so(aur: Aur, project: Path) -> None:
    (project / "empty").mkdir()
    assert re.search(r"^files +0$", aur("mem", "extract", "empty").stdout, re.MULTILINE)


def test_new_files_that_are_too_many_to_read_are_not_counted(aur: Aur, project: Path) -> None:
    aur("mem", "index")
    for number in range(201):
        (project / f"{number}.dat").write_bytes(b"\0\1")
    assert "no indexed file has changed, too many others to read" in " ".join(aur("mem", "stats").stdout.split())
    assert "no indexed file has changed" in aur("doctor", "--only", "memory.fresh").stdout
    aur("mem", "index")
    assert "up to date" in aur("mem", "stats").stdout
    assert "the memory is up to date with the files" in aur("doctor", "--only", "memory.fresh").stdout
