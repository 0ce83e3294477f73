"""Problems of included files are in these files; those after an include are on their own lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Check = Callable[[str], list[tuple[str, str, int]]]

TEXT = """aurora: 2
name: parts
version: 1.0.0
start: a
phases:
  a:
    inputs: { topic: { type: string }, tone: { type: string } }
    prompt_template: %s
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / ".aurora" / "workflows"
    (folder / "prompts").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "prompts" / "tone.md").write_text("Write\nin a {{ tone }} tone.\n", encoding="utf-8")
    return folder


@pytest.fixture
def check(folder: Path, tmp_path: Path) -> Iterator[Check]:
    """The problems of a workflow with this prompt: code, file and line."""
    with Workspace(tmp_path) as workspace:

        def find(prompt: str) -> list[tuple[str, str, int]]:
            found = workspace.workflows.check_text(TEXT % prompt, folder / "parts.yaml")
            return [(problem.code, problem.path, problem.line) for problem in found]

        yield find


def test_a_file_that_is_included_reads_the_inputs(check: Check) -> None:
    assert check("""'{{ topic }} {% include "prompts/tone.md" %}'""") == []


def test_a_name_that_an_included_file_misspells_is_reported_in_that_file(check: Check, folder: Path) -> None:
    (folder / "prompts" / "tone.md").write_text("Write {{ tone }}\nin a {{ tune }} tone.\n", encoding="utf-8")

    assert check("""'{{ topic }} {% include "prompts/tone.md" %}'""") == [("E602", "prompts/tone.md", 2)]


def test_what_follows_an_include_is_on_its_own_line(check: Check, folder: Path) -> None:
    (folder / "prompts" / "main.md").write_text(
        'About {{ topic }}:\n{% include "prompts/tone.md" %}\n{{ nothing }}\n', encoding="utf-8"
    )

    assert check("prompts/main.md") == [("E602", "prompts/main.md", 3)]
    assert check("""|\n      {% include "prompts/tone.md" %}\n      {{ topic }}\n      {{ nothing }}""") == [
        ("E602", "parts.yaml", 11)
    ]


def test_an_included_file_that_does_not_exist_is_reported(check: Check) -> None:
    assert check("""'{{ topic }} {{ tone }} {% include "prompts/none.md" %}'""") == [("E254", "parts.yaml", 8)]
    assert check("""'{{ topic }} {{ tone }} {% include topic %}'""") == [("E601", "parts.yaml", 8)]


def test_retrieved_text_in_an_included_file_is_found(check: Check, folder: Path) -> None:
    (folder / "prompts" / "hits.md").write_text("\n{{ result.hits }}\n", encoding="utf-8")
    prompt = """'{{ tone }} {% include "prompts/hits.md" %}'\n    uses: mem.search\n    with: { query: topic }"""

    assert check(prompt) == [("W604", "prompts/hits.md", 2)]
