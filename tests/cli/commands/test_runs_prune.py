"""`aur runs prune` deletes the chosen runs after a question; `aur runs list` filters; `aur mem restore` asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory.model.json_columns import encode_json, get_timestamp
from aurora.memory.model.runs import RunHead, RunStep
from aurora.tools.runtime import Workspace

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


@pytest.fixture
def runs(project: Path) -> list[str]:
    """Four runs: ended, failed, open for long, open now; the first three are of last year."""
    made = (("r-ended", "ended"), ("r-failed", "failed"), ("r-old", "open"), ("r-now", "open"))
    with Workspace(project) as workspace, workspace.memory.store.begin_write() as db:
        for name, status in made:
            at = get_timestamp() if name == "r-now" else "2025-01-01T00:00:00.000000+00:00"
            assert db.runs.insert(RunHead(name, "soar", at, at, encode_json({"run": name, "status": status})))
            step = {"given": {"query": f'Where is "größe" of {name}?'}}
            assert db.runs.add_step(name, RunStep(1, "assess", at, encode_json(step)))
    return ["r-now", "r-old", "r-failed", "r-ended"]


def list_names(aur: Aur, *options: str) -> list[str]:
    return [one["run"] for one in json.loads(aur("runs", "list", *options, "--json").stdout)["runs"]]


def test_runs_are_listed_by_state_and_text(aur: Aur, runs: list[str]) -> None:
    assert list_names(aur) == runs
    assert list_names(aur, "--status", "failed") == ["r-failed"]
    assert list_names(aur, "--text", "größe") == runs
    assert list_names(aur, "--text", '"größe" OF r-OLD') == ["r-old"]
    assert list_names(aur, "--text", "%") == []
    assert list_names(aur, "--text", "größe", "--status", "open") == ["r-now", "r-old"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--older-than", "30d"], ["r-now", "r-old"]),
        (["--state", "failed"], ["r-now", "r-old", "r-ended"]),
        (["--state", "open"], ["r-now", "r-failed", "r-ended"]),
        (["--keep", "3"], ["r-now", "r-old", "r-failed"]),
        (["--keep", "0", "--state", "ended", "--state", "open"], ["r-now", "r-failed"]),
        (["--older-than", "2024-01-01"], ["r-now", "r-old", "r-failed", "r-ended"]),
    ],
)
def test_the_chosen_runs_are_deleted_and_never_one_that_may_be_running(
    aur: Aur, runs: list[str], options: list[str], left: list[str]
) -> None:
    assert aur("runs", "prune", *options, "--dry-run").returncode == 0
    assert list_names(aur) == runs
    assert aur("runs", "prune", *options, "--yes").returncode == 0
    assert list_names(aur) == left
    assert aur("mem", "check").returncode in {0, 1}


def test_runs_that_fit_but_may_be_running_are_counted_as_kept(aur: Aur, runs: list[str]) -> None:
    shown = aur("runs", "prune", "--state", "open", "--yes").stdout
    assert "r-old" in shown
    assert "1 open run fits, but continued within the last hour, and is kept\ndeleted: 1 run\n" in shown
    shown = aur("runs", "prune", "--state", "open", "--yes").stdout
    assert shown == "1 open run fits, but continued within the last hour, and is kept\ndeleted: 0 runs\n"
    assert aur("runs", "prune", "--state", "waiting", "--yes").stdout == "no run fits\ndeleted: 0 runs\n"
    assert list_names(aur) == [run for run in runs if run != "r-old"]


def test_a_damaged_run_is_deleted_only_by_its_state(aur: Aur, project: Path, runs: list[str]) -> None:
    with Workspace(project) as workspace, workspace.memory.store.begin_write() as db:
        assert db.runs.insert(RunHead("r-odd", "soar", "x", "x", encode_json({"status": "open", "next": 1.5})))
    assert list_names(aur) == ["r-odd", *runs]
    assert aur("runs", "list").returncode == 0
    assert aur("runs", "prune", "--keep", "0", "--state", "failed", "--yes").returncode == 0
    assert "r-odd" in list_names(aur)
    assert "deleted: 1 run\n" in aur("runs", "prune", "--state", "damaged", "--yes").stdout
    assert "r-odd" not in list_names(aur)


@pytest.mark.usefixtures("runs")
def test_open_runs_include_those_that_wait_for_the_person(aur: Aur, project: Path) -> None:
    with Workspace(project) as workspace:
        workspace.memory.journal.append("r-old", 2, [("assess", {})], {"status": "waiting"})
    assert list_names(aur, "--status", "open") == ["r-now", "r-old"]
    assert list_names(aur, "--status", "waiting") == ["r-old"]
    assert list_names(aur, "--status", "open", "--text", '"größe" OF r-OLD') == ["r-old"]


def test_without_a_choice_a_terminal_or_a_valid_age_nothing_is_deleted(aur: Aur, runs: list[str]) -> None:
    assert "nothing chosen" in aur("runs", "prune", "--yes").stderr
    assert "not a terminal" in aur("runs", "prune", "--keep", "0").stderr
    assert "is not a date" in aur("runs", "prune", "--older-than", "soon", "--yes").stderr
    assert "read-only" in aur("runs", "prune", "--keep", "0", "--yes", "--read-only").stderr
    assert list_names(aur) == runs


def test_a_person_is_asked_before_runs_are_deleted(aur: Aur, terminal: Any, runs: list[str]) -> None:
    code, shown = terminal("runs", "prune", "--state", "failed", answer="n\n")
    assert (code, "Delete 1 run " in shown) == (1, True)
    assert list_names(aur) == runs
    code, _ = terminal("runs", "prune", "--state", "failed", answer="y\n")
    assert (code, "r-failed" in list_names(aur)) == (0, False)


def test_a_run_that_continued_in_the_meantime_is_not_deleted(project: Path, runs: list[str]) -> None:
    with Workspace(project) as workspace:
        journal = workspace.memory.journal
        rows = journal.runs(10)
        journal.append("r-old", 2, [("assess", {})], {"run": "r-old", "status": "open"})
        assert journal.remove(rows) == len(runs) - 1
        assert [row.run for row in journal.runs(10)] == ["r-old"]


def test_a_restore_asks_before_it_replaces_the_memory(aur: Aur, terminal: Any, runs: list[str]) -> None:
    assert aur("mem", "backup").returncode == 0
    assert aur("runs", "prune", "--keep", "0", "--yes").returncode == 0
    refused = aur("mem", "restore")
    assert (refused.returncode, "--yes" in refused.stderr) == (1, True)
    code, shown = terminal("mem", "restore", answer="n\n")
    assert (code, "nothing was changed" in shown) == (1, True)
    assert "r-ended" not in list_names(aur)
    assert aur("mem", "restore", "--yes").returncode == 0
    assert list_names(aur) == runs
