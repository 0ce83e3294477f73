"""A diagram shows what a phase is: a decision, a question to the person, a workflow, prompts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.diagram import build_diagram, render_dot, render_mermaid
from aurora.interpreter.drawing import render_html, render_svg
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter.diagram import Diagram

TEXT = """
aurora: 2
name: kinds
version: 1.0.0
start: decide
phases:
  decide: { inputs: { n: { type: integer } }, next_action: [{ when: "inputs.n > `3`", then: views }, { then: gate }] }
  views:
    when: "inputs.n > `4`"
    branches: { safe: { prompt_template: Is it safe., answer: { type: boolean } } }
    next_action: gate
  gate: { person: { message: Please agree., form: { fine: { type: boolean } }, on_decline: end }, next_action: walk }
  walk:
    workflow: soar
    for_each: { in: "['a', 'b']", as: topic, limit: 9, else: end }
    with: { query: topic }
    next_action: end
"""


@pytest.fixture
def diagram(tmp_path: Path) -> Diagram:
    path = tmp_path / "kinds.yaml"
    path.write_text(TEXT, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        definition, problems = workspace.workflows.load_partial(str(path))
    assert definition is not None
    return build_diagram(definition, problems)


def test_each_kind_of_phase_has_its_words_and_its_edges(diagram: Diagram) -> None:
    nodes = {node.name: node for node in diagram.nodes}

    assert {name: node.kind for name, node in nodes.items()} == {
        "decide": "decision",
        "views": "phase",
        "gate": "person",
        "walk": "workflow",
    }
    assert nodes["views"].facts == ("only when inputs.n > `4`, else skipped", "prompts at once: safe")
    assert nodes["gate"].facts == ("asks the person: fine",)
    assert nodes["walk"].facts == ("runs the workflow soar", "for each topic in ['a', 'b']")
    assert [edge.label for edge in nodes["views"].edges] == ["always, or when skipped → gate"]
    assert [edge.label for edge in nodes["gate"].edges] == ["always → walk", "declined → end"]
    assert [edge.label for edge in nodes["walk"].edges] == ["always → end", "more than 9 items → end"]


def test_each_format_draws_each_kind_in_its_own_shape(diagram: Diagram) -> None:
    mermaid, dot = render_mermaid(diagram), render_dot(diagram)

    assert 'p_decide{{"decide' in mermaid
    assert 'p_gate(["gate' in mermaid
    assert 'p_walk[["walk' in mermaid
    assert "shape=hexagon" in dot
    assert "peripheries=2" in dot
    assert 'rx="18"' in render_svg(diagram)
    assert "declined → end" in render_html(diagram)
