"""A project with a workflow of its own, and a host that calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TEA = """
aurora: 1
name: tea
version: 1.0.0
title: Make tea
start: choose
on_error: serve
phases:
  choose:
    aliases: [pick]
    inputs:
      guests: { type: integer, minimum: 1, maximum: 12 }
      mood: { type: string, default: calm }
      note: { type: string, optional: true }
    prompt_template: "Which tea suits {{ guests }} {{ mood }} guests?{% if note %} Mind: {{ note }}.{% endif %}"
    answer:
      type: object
      required: [tea, minutes]
      additionalProperties: false
      properties:
        tea: { type: string, minLength: 1 }
        minutes: { type: integer, minimum: 1, maximum: 10 }
    next_action: brew
  brew:
    inputs:
      tea: { from: phases.choose.answer.tea, type: string }
      minutes: { from: phases.choose.answer.minutes, type: integer }
      guests: { from: inputs.guests, type: integer }
    prompt_template: "Brew {{ tea }} for {{ minutes }} minutes, {{ guests }} cups. Is it good?"
    answer: { type: object, required: [good], properties: { good: { type: boolean } } }
    next_action: serve
  serve:
    inputs:
      good: { from: phases.brew.answer.good, default: false, type: boolean }
    prompt_template: "Serve it{% if not good %} with an apology{% endif %}."
    answer: { type: object }
    next_action:
      - { when: "inputs.good", then: end, say: Enjoy. }
      - { then: choose, max: 2, else: end }
"""


@dataclass
class Host:
    """Calls `aurora_query` in one project; `calls` is what it sent."""

    root: Path
    workspace: Workspace

    def __call__(self, phase: str | None = None, **arguments: Any) -> dict[str, Any]:
        return step_workflow(self.workspace, {"phase": phase, **arguments})

    def next(self, response: dict[str, Any], **brought: Any) -> dict[str, Any]:
        """Send the response's `next_call`, with what it needs."""
        return step_workflow(self.workspace, {**response["next_call"]["arguments"], **brought})

    def write(self, name: str, text: str) -> Path:
        """A file of the project's workflows folder."""
        path = self.root / ".aurora" / "workflows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def open_host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """Opens the project again and again; all are closed at the end."""
    opened: list[Workspace] = []

    def open_one(*, read_only: bool = False) -> Host:
        workspace = Workspace(tmp_path, read_only=read_only)
        opened.append(workspace)
        return Host(tmp_path, workspace)

    yield open_one
    for workspace in opened:
        workspace.close()


@pytest.fixture
def host(open_host: Callable[..., Host]) -> Host:
    """A host in a project that has the tea workflow."""
    made = open_host()
    made.write("tea.yaml", TEA)
    return made
