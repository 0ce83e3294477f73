"""`aur workflow new|schema|suggest`: what an author begins with."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


def test_a_new_workflow_is_written_checked_and_tried_with_the_words_that_are_shown(aur: Aur, project: Path) -> None:
    made = aur("workflow", "new", "haiku")
    assert made.returncode == 0
    assert "wrote .aurora/workflows/haiku.yaml" in made.stdout
    assert "aur workflow step draft --workflow haiku --input task='…'" in made.stdout
    assert aur("workflow", "validate", "haiku").returncode == 0
    tried = aur("workflow", "step", "draft", "--workflow", "haiku", "--input", "task=Write a haiku")
    assert "Do this task: Write a haiku" in tried.stdout
    assert stat.S_IMODE((project / ".aurora/workflows/haiku.yaml").stat().st_mode) & 0o444 == 0o444


def test_a_copy_is_made_with_from(aur: Aur) -> None:
    assert aur("workflow", "new", "our-review", "--from", "code-review").returncode == 0
    assert aur("workflow", "validate", "our-review").returncode == 0


def test_an_existing_workflow_is_not_overwritten(aur: Aur, project: Path) -> None:
    aur("workflow", "new", "haiku")
    (project / ".aurora/workflows/haiku/draft.md").write_text("mine", encoding="utf-8")
    again = aur("workflow", "new", "haiku")
    assert again.returncode == 1
    assert 'a workflow "haiku" exists already' in again.stderr
    assert (project / ".aurora/workflows/haiku/draft.md").read_text(encoding="utf-8") == "mine"


def test_the_schema_is_printed_as_it_can_be_written_into_a_file(aur: Aur) -> None:
    printed = json.loads(aur("workflow", "schema").stdout)
    assert printed["title"] == "A workflow of Aurora"
    assert json.loads(aur("workflow", "schema", "--json").stdout)["document"] == printed


def test_a_suggestion_names_the_workflow_and_the_command_that_begins_it(aur: Aur) -> None:
    told = aur("workflow", "suggest", "The export crashes on an empty list").stdout
    first, description, *_ = told.splitlines()
    assert first.startswith("bug-fix  ")
    assert description == "    Fixes a defect at its cause, from a test that fails before the fix and passes after it."
    assert "    phases: retrieve, reproduce, confirm, fails" in told
    assert "begin: aur workflow run bug-fix" in told


def test_a_task_that_fits_nothing_is_told_to_be_open(aur: Aur) -> None:
    assert "None is clearly ahead." in aur("workflow", "suggest", "qqq zzz").stdout
