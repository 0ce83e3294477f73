"""`aur workflow list|show|validate`: what there is, and every mistake at its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aur = Callable[..., Any]

BROKEN = """\
aurora: 1
name: tea
version: 1.0.0
start: brew
phases:
  brew:
    uses: mem.search
    next_action:
      - { then: nowhere }
"""


@pytest.fixture
def folder(project: Path) -> Path:
    """Where a project keeps its workflows."""
    made = project / ".aurora" / "workflows"
    made.mkdir(parents=True)
    return made


def test_the_shipped_workflows_are_without_problems(aur: Aur) -> None:
    done = aur("workflow", "validate")

    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("checked, no problems\n")


def test_the_list_shows_a_broken_workflow_for_what_it_is(aur: Aur, folder: Path) -> None:
    (folder / "tea.yaml").write_text(BROKEN, encoding="utf-8")

    listed = {one["name"]: one for one in json.loads(aur("workflow", "list", "--json").stdout)["workflows"]}
    shown = aur("workflow", "list").stdout

    assert listed["soar"]["problems"] == 0
    assert listed["tea"]["problems"] > 0
    assert listed["tea"]["source"] == "project"
    assert "`aur workflow validate` shows the errors" in shown


@pytest.mark.requirement("triads-9")
def test_the_list_shows_description_phases_and_agents(aur: Aur, folder: Path) -> None:
    (folder / "tea.yaml").write_text(BROKEN, encoding="utf-8")
    agents = folder.parent.parent / ".claude" / "agents"
    agents.mkdir(parents=True)
    agent = "---\nname: challenger\ndescription: Reviews a change and challenges the findings of a review\n---\nText.\n"
    (agents / "challenger.md").write_text(agent, encoding="utf-8")

    shown = aur("workflow", "list").stdout

    described = shown.index("\ncode-review  Reviews what has changed in the project")
    details = shown[described:].splitlines()[2:4]
    assert details == [
        "    phases: scope, files, stopped, quiet, overlooked, collect, challenge, settle",
        "    agents here: challenger",
    ]
    assert shown.count("    phases: ") == 8, "a workflow with errors has none"


def test_a_problem_is_shown_at_its_place_with_a_caret_under_the_token(aur: Aur, folder: Path) -> None:
    (folder / "tea.yaml").write_text(BROKEN.replace("nowhere", "brwe"), encoding="utf-8")

    done = aur("workflow", "validate", "tea")

    lines = done.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if '"brwe"' in line)
    assert done.returncode == 1
    assert lines[place].startswith(".aurora/workflows/tea.yaml:9:17: error: ")
    assert lines[place].endswith("]")
    assert lines[place + 1] == "  |"
    assert lines[place + 2] == "9 |       - { then: brwe }"
    assert lines[place + 3] == "  |                 ^~~~"
    assert lines[place + 4] == '  = help: did you mean "brew"?'


def test_the_caret_is_aligned_after_wide_characters(aur: Aur, folder: Path) -> None:
    text = BROKEN.replace("{ then: nowhere }", '{ say: "お茶", then: nowhere }')
    (folder / "tea.yaml").write_text(text, encoding="utf-8")

    lines = aur("workflow", "validate", "tea").stdout.splitlines()

    source = next(number for number, line in enumerate(lines) if line.startswith("9 |"))
    before = lines[source].partition("nowhere")[0]
    wide = sum(char in "お茶" for char in before)
    assert lines[source + 1].index("^") == len(before) + wide


def test_a_problem_far_to_the_right_is_shown_with_what_stands_around_it(aur: Aur, folder: Path) -> None:
    text = BROKEN.replace("{ then: nowhere }", f'{{ say: "{"long " * 100}", then: nowhere }}')
    (folder / "tea.yaml").write_text(text, encoding="utf-8")

    lines = aur("workflow", "validate", "tea").stdout.splitlines()

    source = next(number for number, line in enumerate(lines) if line.startswith("9 |"))
    assert len(lines[source]) < 200
    assert lines[source].index("nowhere") == lines[source + 1].index("^")


def test_a_file_is_checked_wherever_it_lies(aur: Aur, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.yaml"
    file.write_text(BROKEN, encoding="utf-8")
    own = project / "own.yaml"
    own.write_text(BROKEN, encoding="utf-8")

    done = aur("workflow", "validate", str(file), "own.yaml", "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [Path(one["workflow"]).name for one in found["files"]] == ["elsewhere.yaml", "own.yaml"]
    assert all(one["errors"] for one in found["files"])


@pytest.mark.parametrize(
    ("name", "said"),
    [("soaar", 'there is no workflow "soaar"'), ("missing.yaml", "missing.yaml")],
)
def test_what_is_not_there_is_not_found(aur: Aur, name: str, said: str) -> None:
    done = aur("workflow", "validate", name, "--json")

    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1
    assert error["code"] == "NOT_FOUND"
    assert said in error["message"]


def test_yaml_that_is_broken_is_a_problem_and_no_traceback(aur: Aur, folder: Path) -> None:
    (folder / "tea.yaml").write_bytes(b"aurora: [1\nname: \xff\t{")

    done = aur("workflow", "validate")

    assert done.returncode == 1
    assert ".aurora/workflows/tea.yaml:" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_workflow_is_shown_phase_by_phase(aur: Aur) -> None:
    done = aur("workflow", "show", "soar")

    assert "1. assess  Assess the complexity of the query  start" in done.stdout
    assert "→ retrieve_and_respond when complexity == 'SIMPLE' (early exit)" in done.stdout
    assert "at most 2 times, then respond" in done.stdout
    assert "   returns chunks, evidence, confidence, note, index\n" in done.stdout


def test_what_is_shown_as_json_has_every_phase(aur: Aur) -> None:
    shown = json.loads(aur("workflow", "show", "--json").stdout)

    assert len(shown["phases"]) == 9
    assert shown["start"] == shown["phases"][0]["name"]
    assert shown["phases"][1]["returns"] == ["chunks", "evidence", "confidence", "note", "index"]
