"""Suppression comments: only real comments, only named problems, never unnoticed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.catalog.suppressions import parse_suppressions
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = """\
aurora: 1
name: tea
version: 1.0.0
start: choose
phases:
  choose:
    inputs: { mood: { enum: [calm, lively] } }
    prompt_template: |
      {{ mood }}
      # aur: ignore E602 -- this is text of the prompt
    answer: { type: object }
    next_action:
      - { when: "inputs.mood == 'grave'", then: end }COMMENT
      - { then: end }
"""


@pytest.fixture
def codes_of(tmp_path: Path) -> Iterator[Callable[[str], list[str]]]:
    with Workspace(tmp_path) as workspace:

        def find(comment: str) -> list[str]:
            text = TEXT.replace("COMMENT", comment)
            return [one.code for one in workspace.workflows.check_text(text, Path("tea.yaml"))]

        yield find


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("", ["E307"]),
        (" # aur: ignore E307 -- it will come", []),
        (" # aur: ignore e307 -- it will come", []),
        (" # aur: ignore enum-literal -- it will come", []),
        (" #aur:ignore E307 -- it will come", []),
        (" # see below; aur: ignore E307 -- this is another comment", ["E307"]),
        (" # aur: ignore E307", ["W901"]),
        (" # aur: ignore", ["E307", "W901"]),
        (" # aur: ignore E304 -- no such thing", ["E307", "W902"]),
        (" # aur: ignore E307, E304 -- one of two", ["W902"]),
        (" # aur: ignore E999 -- no such code", ["E307", "W901"]),
        (" # aur: ignore E104 -- never", ["E307", "W901"]),
    ],
)
def test_a_comment_suppresses_the_named_problem_on_its_line(
    codes_of: Callable[[str], list[str]], comment: str, expected: list[str]
) -> None:
    assert codes_of(comment) == expected


def test_text_that_looks_like_a_comment_suppresses_nothing() -> None:
    assert parse_suppressions(TEXT.replace("COMMENT", ""), "tea.yaml") == ()


def test_a_workflow_with_a_suppressed_problem_runs(tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "tea.yaml").write_text(TEXT.replace("COMMENT", " # aur: ignore E307 -- later"), encoding="utf-8")

    with Workspace(tmp_path) as workspace:
        assert workspace.workflows.load("tea").workflow.name == "tea"


def test_no_suppression_is_unused_in_a_file_that_is_only_partly_valid(tmp_path: Path) -> None:
    text = TEXT.replace("COMMENT", "").replace("version: 1.0.0", "versoin: 1.0.0 # aur: ignore W310 -- judged later")

    with Workspace(tmp_path) as workspace:
        found = [one.code for one in workspace.workflows.check_text(text, Path("tea.yaml"))]

    assert found == ["E202", "E307"]
