"""Answers of a file for the phases of a workflow that runs as a phase."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

INNER = """\
aurora: 2
name: inner
version: 1.0.0
start: write
output: { text: { from: phases.write.answer, type: string } }
phases:
  write:
    inputs: { topic: { type: string } }
    prompt_template: "Write about {{ topic }}."
    answer: { type: string }
    next_action: end
"""
OUTER = """\
aurora: 2
name: outer
version: 1.0.0
start: all
output: { texts: { from: "phases.all.result.results[].text" } }
phases:
  all:
    inputs: { topics: { type: array, items: { type: string } } }
    workflow: inner
    for_each: { in: inputs.topics, as: topic }
    with: { topic: topic }
    next_action: end
"""


def test_a_file_answers_the_phases_of_a_workflow_within_a_workflow(aur: Aur, project: Path) -> None:
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "inner.yaml").write_text(INNER, encoding="utf-8")
    (folder / "outer.yaml").write_text(OUTER, encoding="utf-8")
    words = ("workflow", "run", "outer", "--input", 'topics=["tea", "rain"]', "--json", "--answers")

    done = aur(*words, json.dumps({"all/write": ["T", "R"]}))
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["status"] == "ended"

    for name in ("none/write", "all/wrote", "all/write/more", "all"):
        error = json.loads(aur(*words, json.dumps({name: "T"})).stdout)["error"]
        assert f'has no phase "{name}" that asks for an answer' in error["message"]
        assert "all/write" in error["help"]
