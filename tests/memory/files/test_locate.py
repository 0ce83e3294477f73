from __future__ import annotations

from pathlib import Path

import pytest

from aurora.memory import Memory, database_path, find_project


def test_the_project_is_the_nearest_folder_that_contains_dot_aurora(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "inner"
    (inner / ".aurora").mkdir(parents=True)
    (inner / "deep" / "er").mkdir(parents=True)
    assert find_project(inner / "deep" / "er") == inner


def test_dot_aurora_further_up_wins_over_dot_git_nearby(tmp_path: Path) -> None:
    (tmp_path / ".aurora").mkdir()
    (tmp_path / "module" / ".git").mkdir(parents=True)
    assert find_project(tmp_path / "module") == tmp_path


def test_without_dot_aurora_it_is_the_repository_also_from_a_file_in_it(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    file = tmp_path / "src" / "main.py"
    file.parent.mkdir()
    file.touch()
    assert find_project(file) == tmp_path


def test_the_home_folder_is_no_project_that_others_lie_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    repository, notes = tmp_path / "work" / "repository", tmp_path / "notes"
    for folder in (tmp_path / ".aurora", repository / ".git", repository / "src", notes):
        folder.mkdir(parents=True)
    assert find_project(repository / "src") == repository
    assert find_project(notes) == notes
    assert find_project(tmp_path) == tmp_path


def test_without_either_it_is_the_folder_itself(tmp_path: Path) -> None:
    assert find_project(tmp_path / "nowhere") == tmp_path / "nowhere"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ".aurora/memory.db"),
        ({"AURORA_DB": "  "}, ".aurora/memory.db"),
        ({"AURORA_DB": "data/team.db"}, "data/team.db"),
    ],
)
def test_the_database_is_in_the_project_unless_aurora_db_names_another(
    tmp_path: Path, environ: dict[str, str], expected: str
) -> None:
    assert database_path(tmp_path, environ) == tmp_path / expected


def test_an_absolute_aurora_db_is_used_unchanged(tmp_path: Path) -> None:
    assert database_path(tmp_path, {"AURORA_DB": "/srv/team.db"}) == Path("/srv/team.db")


def test_a_new_dot_aurora_keeps_itself_out_of_the_repository_but_not_its_workflows(tmp_path: Path) -> None:
    with Memory.open(tmp_path / ".aurora" / "memory.db"):
        pass
    rules = (tmp_path / ".aurora" / ".gitignore").read_text(encoding="utf-8").split()
    assert rules == ["*", "!.gitignore", "!workflows/", "!workflows/**"]


def test_a_gitignore_that_a_person_wrote_there_is_left_alone(tmp_path: Path) -> None:
    ignore = tmp_path / ".aurora" / ".gitignore"
    ignore.parent.mkdir()
    ignore.write_text("mine\n", encoding="utf-8")
    with Memory.open(tmp_path / ".aurora" / "memory.db"):
        pass
    assert ignore.read_text(encoding="utf-8") == "mine\n"


def test_no_gitignore_is_written_into_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data" / "team.db"):
        pass
    assert not (tmp_path / "data" / ".gitignore").exists()
