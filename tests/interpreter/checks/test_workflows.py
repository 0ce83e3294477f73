"""Phases that run a workflow: its name, its arguments, its output, and how deep workflows are nested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Problem

    Check = Callable[[str], list[tuple[str, int]]]

JUDGE = """aurora: 2
name: judge
version: 1.0.0
start: ask
output:
  verdict: { from: phases.ask.answer, enum: [good, bad] }
phases:
  ask:
    inputs:
      text: { type: string }
      tone: { enum: [mild, harsh], default: mild }
    prompt_template: "Judge {{ text }} in a {{ tone }} tone."
    answer: { enum: [good, bad] }
    next_action: end
"""
OUTER = """aurora: 2
name: outer
version: 1.0.0
start: a
phases:
  a:
    inputs: { texts: { type: array, items: { type: string } } }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "judge.yaml").write_text(JUDGE, encoding="utf-8")
    return folder


@pytest.fixture
def check(folder: Path, tmp_path: Path) -> Iterator[Check]:
    """The problems of a workflow with this phase, by code and line."""
    with Workspace(tmp_path) as workspace:

        def find(body: str) -> list[tuple[str, int]]:
            found: tuple[Problem, ...] = workspace.workflows.check_text(OUTER + body, folder / "outer.yaml")
            return [(problem.code, problem.line) for problem in found]

        yield find


def test_the_output_of_a_workflow_types_the_result(check: Check) -> None:
    walk = "    workflow: judge\n    with: { text: 'texts[0]' }\n    next_action:\n"

    assert check(walk + "      - { when: verdict == 'good', then: end }\n      - { then: end }\n") == []
    assert check(walk + "      - { when: verdict == 'fine', then: end }\n      - { then: end }\n") == [("E307", 11)]
    assert check(walk + "      - { when: verdit == 'good', then: end }\n      - { then: end }\n") == [("E303", 11)]


def test_a_walk_for_each_item_gives_a_list_of_outputs(check: Check) -> None:
    walk = "    workflow: judge\n    for_each: { in: inputs.texts, as: one }\n    with: { text: one }\n"
    rules = (
        "    next_action:\n      - { when: \"contains(results[].verdict, '%s')\", then: end }\n      - { then: end }\n"
    )

    assert check(walk + rules % "good") == []
    assert check(walk + rules % "fine") == [("E307", 12)]


def test_a_number_of_prompts_is_required_of_prompts_and_not_of_walks(check: Check) -> None:
    walk = "    workflow: judge\n    for_each: { in: inputs.texts, as: one, max: 3 }\n    with: { text: one }\n"
    prompt = "    for_each: { in: inputs.texts, as: one }\n    prompt_template: '{{ one }}'\n    answer: {}\n"

    assert check(walk + "    next_action: end\n") == []
    assert check(walk.replace(", max: 3", "") + "    next_action: end\n") == []
    assert check(prompt + "    next_action: end\n") == [("E203", 8)]


def test_arguments_are_those_of_the_first_phase(check: Check) -> None:
    walk = "    workflow: judge\n    with: { text: %s }\n    next_action: end\n"

    assert check(walk % "'texts[0]', tone: \"'harsh'\"") == []
    assert check(walk % "'texts[0]', tune: \"'harsh'\"") == [("E258", 9)]
    assert check(walk % "'texts[0]', tone: \"'loud'\"") == [("E505", 9)]
    assert check(walk % "texts") == [("E505", 9)]
    assert check("    workflow: judge\n    with: { tone: \"'mild'\" }\n    next_action: end\n") == [
        ("W603", 7),
        ("E258", 8),
    ]


def test_a_broken_workflow_is_reported_once_whatever_is_broken_in_it(check: Check, folder: Path) -> None:
    (folder / "broken.yaml").write_text("aurora: 2\nname: broken\nphases: 3\n", encoding="utf-8")

    assert check("    workflow: broken\n    next_action: end\n") == [("E261", 8)]
    assert check("    workflow: borken\n    next_action: end\n") == [("E261", 8)]


def test_a_circle_of_workflows_and_more_than_five_levels_are_reported(check: Check, folder: Path) -> None:
    def write(name: str, inner: str) -> None:
        phase = f"{{ workflow: {inner}, next_action: end }}"
        text = f"aurora: 2\nname: {name}\nversion: '1'\nstart: a\nphases:\n  a: {phase}\n"
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")

    walk = "    workflow: deep1\n    with: {}\n    next_action: end\n"
    for level in range(1, 5):
        write(f"deep{level}", f"deep{level + 1}")
    write("deep5", "outer")
    assert ("E262", 8) in check(walk)
    write("deep5", "judge")
    assert ("E262", 8) in check(walk)
    last = JUDGE.replace("name: judge", "name: deep5").replace("text: { type: string }", "text: { default: x }")
    (folder / "deep5.yaml").write_text(last, encoding="utf-8")
    assert [code for code, _ in check(walk)] == ["W603"]


BROKEN = JUDGE.replace("name: judge", "name: broken").replace("default: mild", "default: loud")
MIDDLE = """aurora: 2
name: middle
version: 1.0.0
start: pass_on
phases:
  pass_on:
    inputs: { text: { type: string } }
    workflow: broken
    next_action: end
"""


@pytest.mark.parametrize("name", ["broken", "middle"])
def test_a_workflow_that_runs_a_broken_one_is_refused_with_the_place_of_the_error(
    name: str, folder: Path, tmp_path: Path
) -> None:
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (folder / "middle.yaml").write_text(MIDDLE, encoding="utf-8")
    phase = f'    workflow: {name}\n    with: {{ text: "inputs.texts[0]" }}\n    next_action: end\n'
    text = OUTER.replace("type: array", "type: array, minItems: 1") + phase
    (folder / "outer.yaml").write_text(text, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        (problem,) = workspace.workflows.find_problems("outer")
        assert (problem.code, problem.line) == ("E261", 8)
        assert "broken.yaml:11:" in problem.note
        assert "E256" in problem.note
        with pytest.raises(Fault) as raised:
            workspace.workflows.load("outer")
        assert "E261" in raised.value.message
        (folder / "broken.yaml").write_text(JUDGE.replace("name: judge", "name: broken"), encoding="utf-8")
        assert workspace.workflows.load("outer").workflow.name == "outer"
