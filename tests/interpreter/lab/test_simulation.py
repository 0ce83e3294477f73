"""Simulated runs take every reachable rule, end, and report unreached ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.lab.simulate import Bounds, Simulation, simulate_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Simulate = Callable[..., Simulation]

WORKFLOWS = Path(__file__).resolve().parents[3] / "workflows"
SHIPPED = sorted({path.stem for path in WORKFLOWS.glob("*.yaml")} - {"soar-fast"})  # which is soar with other settings

END = "  z: { prompt_template: Say done., answer: { type: object }, next_action: end }\n"


def shown(simulation: Simulation) -> list[str]:
    """The paths as text: phase and rule of each step; `!` a spent rule, `x` a failed tool."""
    return [
        " ".join(
            f"{step.phase}{'x' if step.status == 'error' else (step.edge.rule or 0) + 1 if step.edge else '?'}"
            f"{'!' if step.edge and step.edge.spent else ''}"
            for step in path.steps
        )
        for path in simulation.paths
    ]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_rule_of_a_shipped_workflow_can_be_taken_and_every_path_ends(workspace: Workspace, name: str) -> None:
    found = simulate_workflow(workspace.workflows.load(name), workspace.tools)
    assert found.is_successful, (found.unreached, [path for path in found.paths if path.status != "ended"])
    missing = [item for item in found.coverage.list_missing() if item[0] != "empty"]  # a rule leads that one elsewhere
    assert missing == []
    assert found.is_complete
    if name == "soar":
        assert "assessx respond1" in shown(found)  # a failing tool leads to the target of `on_error`


def test_the_same_workflow_gives_the_same_paths_every_time(workspace: Workspace) -> None:
    once, again = (shown(simulate_workflow(workspace.workflows.load("feature"), workspace.tools)) for _ in range(2))
    assert once == again


def test_each_enum_value_that_a_rule_names_is_simulated(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Which is it?
    answer: { type: object, required: [kind], properties: { kind: { enum: [one, two, three] } } }
    next_action: b
  b:
    inputs: { kind: { from: phases.a.answer.kind, enum: [one, two, three] } }
    prompt_template: "Kind {{ kind }}"
    answer: { type: object }
    next_action:
      - { when: "inputs.kind == 'one'", then: end }
      - { when: "inputs.kind == 'two'", then: z }
      - { then: a, max: 1, else: z }
"""
        + END,
        every=True,
    )
    assert found.is_successful
    assert set(shown(found)) == {
        "a1 b1", "a1 b2 z1", "a1 b3 a1 b1", "a1 b3 a1 b2 z1", "a1 b3 a1 b3! z1",
    }  # fmt: skip


def test_a_rule_far_from_the_source_of_its_value_is_taken(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Say A
    answer: { type: object, required: [n], properties: { n: { type: integer } } }
    next_action: b
  b:
    prompt_template: Say B
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action: c
  c:
    prompt_template: Say C
    answer: { type: object }
    next_action:
      - { when: "phases.a.answer.n > `7` && phases.b.answer.ok", then: z }
      - { when: "phases.a.answer.n == `3`", then: z }
      - { then: end }
"""
        + END
    )
    assert found.is_successful
    assert {"a1 b1 c1 z1", "a1 b1 c2 z1", "a1 b1 c3"} <= set(shown(found))


def test_a_directed_search_satisfies_many_conditions_at_once(simulated: Simulate) -> None:
    fields = "".join(f"          f{at}: {{ type: integer, minimum: 0, maximum: 1000 }}\n" for at in range(8))
    test = " && ".join(f"inputs.v.f{at} == `{100 + at}`" for at in range(8))
    names = ", ".join(f"f{at}" for at in range(8))
    found = simulated(
        f"""
  a:
    prompt_template: Say A
    answer:
      type: object
      required: [{names}]
      properties:
{fields.replace("          ", "        ")}
    next_action: b
  b:
    inputs:
      v:
        from: phases.a.answer
        type: object
        required: [{names}]
        properties:
{fields}
    prompt_template: "It is {{{{ v.f0 }}}}"
    answer: {{ type: object }}
    next_action:
      - {{ when: "{test}", then: z }}
      - {{ then: end }}
"""
        + END
    )
    assert found.is_successful
    assert "a1 b1 z1" in shown(found)


def test_a_rule_that_is_never_true_is_unreached_with_its_reason(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    inputs: { n: { type: integer } }
    prompt_template: "N is {{ n }}"
    answer: { type: object }
    next_action:
      - { when: "inputs.n > `5` && to_string(inputs.n) == 'never'", then: z }
      - { then: end }
"""
        + END
    )
    assert not found.is_successful
    reasons = {(one.kind, one.phase, one.rule): one.reason for one in found.unreached}
    assert reasons["rule", "a", 1].endswith("calls, which does not prove that none can")
    assert reasons["phase", "z", None] == "no rule that leads to it was taken"


def test_a_limit_is_reached_and_its_else_is_taken(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Say A
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action: b
  b:
    prompt_template: Say B
    answer: { type: object }
    next_action:
      - { when: "phases.a.answer.ok", then: end }
      - { then: a, max: 3, else: end }
"""
    )
    assert found.is_successful
    assert "a1 b2 a1 b2 a1 b2 a1 b2!" in shown(found)


def test_a_phase_is_skipped_on_one_path_and_run_on_another(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    inputs: { suite: { optional: true, type: array, minItems: 1, items: { type: string } } }
    next_action: b
  b:
    when: inputs.suite != null
    inputs: { suite: { from: inputs.suite, type: array } }
    prompt_template: "Run {{ suite | join(' ') }}"
    answer: { type: boolean }
    next_action:
      - { when: "answer == `false`", then: z }
      - { then: end }
"""
        + END
    )
    assert found.is_successful, found.unreached
    assert shown(found) == ["a1 b2", "a1 b1 z1", "a1 b2"]
    assert ["skipped" in {step.status for step in path.steps} for path in found.paths].count(True) == 1


def test_a_list_longer_than_the_limit_is_simulated(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    inputs: { names: { type: array, items: { type: string } } }
    for_each: { in: inputs.names, as: name, max: 5, limit: 20, else: z }
    prompt_template: Greet {{ name }}.
    answer: { type: string }
    next_action: end
"""
        + END
    )
    assert found.is_successful, found.unreached


def test_a_path_beyond_the_limit_is_cut_and_marked(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Say A
    answer: { type: object }
    next_action: { then: a, max: 50, else: end }
""",
        bounds=Bounds(steps=10),
    )
    assert not found.is_complete
    assert not found.is_successful


def test_simulation_finds_a_prompt_that_needs_an_absent_value(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Say A
    answer:
      type: object
      properties: { note: { type: object, properties: { text: { type: string } } } }
    next_action: b
  b:
    inputs: { said: { from: phases.a.answer, type: object } }
    prompt_template: "Said {{ said.note.text | length }} characters"
    answer: { type: object }
    next_action: end
"""
    )
    assert [path.status for path in found.paths] == ["stuck"]
    assert "cannot be rendered" in found.paths[0].reason


def test_an_end_at_which_the_output_does_not_fit_is_no_end(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Is it needed?
    answer: { type: boolean }
    next_action:
      - { when: answer, then: b }
      - { then: c }
  b: { prompt_template: Write it., answer: { type: string }, next_action: c }
  c: { prompt_template: Thank them., answer: { type: string }, next_action: end }
output: { text: { from: phases.b.answer, type: string } }
"""
    )
    assert not found.is_successful
    assert sorted(path.status for path in found.paths) == ["ended", "stuck"]
    assert any("the output of the workflow does not fit: $.text" in path.reason for path in found.paths)


def test_hundreds_of_phases_in_a_row_are_simulated(simulated: Simulate) -> None:
    phases = "".join(
        f"""
  p{at}:
    prompt_template: Say P
    answer: {{ type: object, required: [ok], properties: {{ ok: {{ type: boolean }} }} }}
    next_action: p{at + 1}
"""
        for at in range(200)
    )
    found = simulated(
        phases.replace("p0:", "a:", 1)
        + "  p200: { prompt_template: Say P, answer: { type: object }, next_action: end }\n",
    )
    assert found.is_successful
    assert len(found.paths[0].steps) == 201
