"""Tests made of `!`, `&&`, `||` and null: what is right is left alone, and what is wrong is told where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = Callable[[str], list[tuple[str, str, str]]]

WORKFLOW = """
aurora: 1
name: logic
version: 1.0.0
start: look
phases:
  look:
    inputs: { query: { type: string }, sure: { type: boolean, default: false } }
    uses: mem.search
    with: { query: query }
    output:
      type: object
      required: [done, kind, score, tags, hits]
      additionalProperties: false
      properties:
        done: { type: boolean }
        kind: { enum: [A, B] }
        score: { type: number, minimum: 0, maximum: 1 }
        count: { type: integer }
        title: { type: [string, "null"] }
        tags: { type: array, items: { type: string } }
        hits:
          type: array
          items:
            type: object
            required: [sort]
            additionalProperties: false
            properties: { sort: { enum: [X, Y] }, size: { type: integer } }
    next_action:
      - when: >-
          WHEN
        then: tell
      - { when: inputs.sure, then: tell }
      - { then: end }
  tell:
    uses: mem.search
    with: { query: "'x'" }
    next_action: end
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """The code, the stretch and the help of each problem of a rule with this test."""
    with Workspace(tmp_path) as workspace:

        def find(when: str) -> list[tuple[str, str, str]]:
            text = WORKFLOW.replace("WHEN", when)
            path = tmp_path / "logic.yaml"
            path.write_text(text, "utf-8")
            lines = text.splitlines()
            found = workspace.workflows.problems(str(path))
            return [(one.code, lines[one.line - 1][one.column - 1 : one.end_column - 1], one.help) for one in found]

        yield find


@pytest.mark.parametrize(
    "when",
    [
        "title != null && starts_with(title, 'x')",
        "count != null && count > `3`",
        "count == null || count > `3`",
        "(title || 'x') == 'x'",
        "!done == `true`",
        "(done || inputs.sure) == `true`",
        "!(kind == 'A')",
    ],
)
def test_a_test_that_is_right_is_left_alone(told: Told, when: str) -> None:
    assert told(when) == []
