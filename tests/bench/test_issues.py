"""The benchmark of issue texts finds the files of patches, and its history shows a loss."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from history import append_figures
from issues import compute_figures, search_issues

if TYPE_CHECKING:
    from pathlib import Path

ISSUE = "The steam valve leaks\n\nWhen the steam is hot, `open_valve` does not close it again.\n"


def run_git(root: Path, *words: str) -> str:
    who = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=root, env={**os.environ, **who}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "kitchen__boiler"
    root.mkdir()
    run_git(root, "init", "-q")
    (root / "valve.py").write_text("def open_valve(steam):\n    return steam\n", encoding="utf-8")
    (root / "tax.py").write_text("def compute_tax(income):\n    return income\n", encoding="utf-8")
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "first")
    return root


def test_an_issue_is_searched_in_the_tree_of_its_commit(repository: Path) -> None:
    issue = {
        "instance_id": "boiler-1",
        "repo": "kitchen/boiler",
        "base_commit": run_git(repository, "rev-parse", "HEAD"),
        "problem_statement": ISSUE,
        "patch": "--- a/valve.py\n+++ b/valve.py\n",
    }
    run_git(repository, "rm", "-q", "valve.py")
    run_git(repository, "commit", "-q", "-m", "second")

    outcomes = list(search_issues(repository, [issue, {**issue, "base_commit": "0" * 40}]))

    assert [outcome.found[0] for outcome in outcomes] == ["valve.py"]
    assert compute_figures(outcomes) == {"Acc@1": 1.0, "Acc@5": 1.0, "recall@10": 1.0}


def test_a_loss_since_the_last_run_of_the_same_set_is_shown(tmp_path: Path) -> None:
    history = tmp_path / "kept" / "history.jsonl"

    assert append_figures(history, "questions", {"all": 0.88, "rust": 0.8}) == []
    assert append_figures(history, "issues", {"all": 0.5}) == []
    assert append_figures(history, "questions", {"all": 0.86, "rust": 0.801, "zig": 0.9}) == [
        "WORSE: all 0.880 -> 0.860"
    ]
    assert append_figures(history, "questions", {"all": 0.87}) == ["better: all 0.860 -> 0.870"]
