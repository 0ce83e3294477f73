"""A simulation gives a phase with a workflow the outputs that simulated runs of that workflow end with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter.lab.simulate import Simulation, simulate_workflow
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Simulate = Callable[..., Simulation]

JUDGE = """\
aurora: 2
name: judge
version: 1.0.0
start: read
output:
  verdict: { from: phases.read.answer.verdict, type: string }
  sure: { from: phases.check.answer.sure || `false`, type: boolean }
  note: { from: phases.read.answer.note, type: string }
phases:
  read:
    inputs: { text: { type: string, minLength: 1 } }
    prompt_template: "Read {{ text }}."
    answer:
      type: object
      required: [verdict, note]
      properties: { verdict: { enum: [good, bad] }, note: { type: string } }
    next_action:
      - { when: answer.verdict == 'good', then: end }
      - { then: check }
  check:
    prompt_template: Check it.
    answer: { type: object, required: [sure], properties: { sure: { type: boolean } } }
    next_action: end
"""
OUTER = """\
aurora: 2
name: outer
version: 1.0.0
start: part
phases:
  part:
    inputs: { text: { type: string, minLength: 1 } }
    workflow: judge
    with: { text: text }
    next_action:
RULES
  other:
    inputs: { note: { from: phases.part.result.note, type: string, minLength: 3 } }
    prompt_template: "Heed {{ note }}."
    answer: { type: string }
    next_action: end
"""
EACH = (
    OUTER.replace("{ type: string, minLength: 1 }", "{ type: array, minItems: 2, maxItems: 9 }")
    .replace(
        "with: { text: text }", "for_each: { in: inputs.text, as: one, limit: 5, else: other }\n    with: { text: one }"
    )
    .replace("from: phases.part.result.note", "default: none")
)


@pytest.fixture
def simulated(tmp_path: Path) -> Iterator[Simulate]:
    """Simulate the outer workflow with these rules."""
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "judge.yaml").write_text(JUDGE, encoding="utf-8")
    (folder / "middle.yaml").write_text(MIDDLE, encoding="utf-8")
    with Workspace(tmp_path) as workspace:

        def run(*rules: str, text: str = OUTER) -> Simulation:
            body = "\n".join(f"      - {{ {rule} }}" for rule in rules)
            path = folder / "outer.yaml"
            path.write_text(text.replace("RULES", body), encoding="utf-8")
            catalog = workspace.workflows
            definition = catalog.load_file(path)
            return simulate_workflow(definition, workspace.tools, catalog.find_neighbours(path), every=True)

        yield run


MIDDLE = """\
aurora: 2
name: middle
version: 1.0.0
start: hand
output:
  verdict: { from: phases.hand.result.verdict }
  sure: { from: phases.hand.result.sure }
  note: { from: phases.hand.result.note }
phases:
  hand:
    inputs: { text: { type: string } }
    workflow: judge
    with: { text: text }
    next_action: end
"""


def list_untaken(found: Simulation) -> list[tuple[str, int | None]]:
    return [(one.phase, one.rule) for one in found.unreached]


def list_results(found: Simulation) -> list[Any]:
    return [step.result for path in found.paths for step in path.steps if step.phase == "part" and step.result]


@pytest.mark.parametrize("text", [OUTER, OUTER.replace("workflow: judge", "workflow: middle")])
def test_the_outputs_are_those_that_the_workflow_can_end_with(simulated: Simulate, text: str) -> None:
    found = simulated(
        "when: verdict == 'bad' && sure, then: end", "when: verdict == 'good', then: other", "then: end", text=text
    )
    assert list_untaken(found) == []
    assert {(one["verdict"], one["sure"]) for one in list_results(found)} == {
        ("good", False),
        ("bad", True),
        ("bad", False),
    }
    assert all(path.status == "ended" for path in found.paths)
    assert [(one.phase, one.outputs > 0) for one in found.inner] == [("part", True)]
    assert found.inner[0].outputs >= 3


def test_a_rule_for_an_output_that_no_run_of_the_workflow_gives_is_not_taken(simulated: Simulate) -> None:
    found = simulated("when: verdict == 'good' && sure, then: other", "then: end")
    assert list_untaken(found) == [("part", 1), ("other", None)]


def test_a_constant_that_a_rule_compares_a_text_of_the_output_with_is_tried(simulated: Simulate) -> None:
    found = simulated("when: \"note == 'stop here'\", then: end", "then: other")
    assert list_untaken(found) == []


def test_each_item_has_an_output_and_a_long_list_takes_its_route(simulated: Simulate) -> None:
    found = simulated(
        "when: \"length(results) > `1` && contains(results[].verdict, 'bad')\", then: end",
        'when: "length(results) < `2`", then: end',
        "then: other",
        text=EACH,
    )
    assert list_untaken(found) == [("part", 2)]
    assert {len(one["results"]) for one in list_results(found)} <= {2, 3, 4, 5}


def test_a_workflow_that_is_not_walked_is_named(simulated: Simulate, tmp_path: Path) -> None:
    endless = JUDGE.replace(
        "      - { when: answer.verdict == 'good', then: end }\n      - { then: check }",
        "      - { then: read, max: 1000, else: check }",
    )
    (tmp_path / ".aurora" / "workflows" / "judge.yaml").write_text(endless, "utf-8")
    found = simulated("then: other")
    assert [(one.phase, one.workflow, one.outputs) for one in found.inner] == [("part", "judge", 0)]
