"""A simulation claims only what is proved: of rules, of paths, and of large workflows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.interpreter.lab.simulate import Bounds, Simulation, simulate_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Simulate = Callable[..., Simulation]

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "writing-a-workflow.md"
END = "  z: { prompt_template: Say done., answer: { type: object }, next_action: end }\n"


def _ask(name: str, fields: str, then: str) -> str:
    names = ", ".join(re.findall(r"(\w+):", re.sub(r"\{[^{}]*\}", "x", fields)))
    answer = f"{{ type: object, required: [{names}], properties: {{ {fields} }} }}"
    return f"  {name}: {{ prompt_template: Say it., answer: {answer}, next_action: {then} }}\n"


def test_a_rule_that_needs_one_of_many_combinations_of_an_earlier_answer_is_taken(simulated: Simulate) -> None:
    fields = ", ".join(f"f{number}: {{ type: boolean }}" for number in range(8))
    test = " && ".join(f"phases.a.answer.f{number} == `{str(number % 2 == 0).lower()}`" for number in range(8))
    found = simulated(
        _ask("a", fields, "b")
        + _ask("b", "ok: { type: boolean }", "c")
        + f"  c: {{ prompt_template: Go on., answer: {{ type: object }}, next_action: [{{ when: {test!r}, then: z }}, "
        "{ then: end }] }\n" + END
    )
    assert found.is_successful, found.unreached


def test_two_far_answers_of_ten_values_each_lead_to_the_one_rule_that_needs_both(simulated: Simulate) -> None:
    kinds = "kind: { enum: [k0, k1, k2, k3, k4, k5, k6, k7, k8, k9] }"
    test = "phases.a.answer.kind == 'k7' && phases.b.answer.kind == 'k9'"
    found = simulated(
        _ask("a", kinds, "b")
        + _ask("b", kinds, "c")
        + _ask("c", "ok: { type: boolean }", "d")
        + f'  d: {{ prompt_template: Go on., answer: {{ type: object }}, next_action: [{{ when: "{test}", then: z }}, '
        "{ then: end }] }\n" + END
    )
    assert found.is_successful, found.unreached


def test_a_phase_that_each_run_skips_is_reported_as_skipped(simulated: Simulate) -> None:
    found = simulated(
        """
  a: { prompt_template: Say it., answer: { type: object }, next_action: b }
  b:
    when: "contains([`1`, `2`], phases.b.visits)"
    prompt_template: Go on.
    answer: { type: object }
    next_action: end
"""
    )
    assert [(one.phase, one.reason) for one in found.unreached] == [("b", "each run skipped it")]


def test_a_bare_null_is_no_field_of_the_result(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    uses: mem.stats
    with: {}
    output:
      { type: object, additionalProperties: false, properties: { f: { enum: [x, null] } } }
    next_action:
      - { when: f != null, then: z }
      - { then: end }
"""
        + END
    )
    assert found.is_successful, found.unreached
    assert all(step.status == "complete" for path in found.paths for step in path.steps)


def test_what_no_value_makes_true_is_proved_and_what_was_not_found_is_not(simulated: Simulate) -> None:
    found = simulated(
        _ask("a", "n: { type: integer }, s: { type: string }", "b")
        + """  b:
    prompt_template: Go on.
    answer: { type: object }
    next_action:
      - { when: "phases.a.answer.n > `3` && phases.a.answer.s == 'x'", then: z }
      - { when: "phases.a.answer.s == 'y' && length(phases.a.answer.s) == `7`", then: z }
      - { then: end }
"""
        + END
    )
    suspects = {one.rule: (one.is_proved, one.reason) for one in found.unreached}
    assert suspects.keys() == {2}
    assert not suspects[2][0]
    assert re.fullmatch(r"no run took it in [\d,]+ calls, which does not prove that none can", suspects[2][1])


def test_a_listing_that_a_bound_cuts_is_not_whole(simulated: Simulate) -> None:
    phases = _ask("a", "ok: { type: boolean }", "b") + (
        "  b: { prompt_template: Go on., answer: {}, next_action: [{ when: phases.a.answer.ok, then: end }, "
        "{ then: a, max: 3, else: end }] }\n"
    )
    assert simulated(phases, every=True).is_complete
    assert not simulated(phases, every=True, bounds=Bounds(paths=2)).is_complete
    assert not simulated(phases, every=True, bounds=Bounds(steps=4)).is_complete


def test_the_workflow_of_the_guide_passes(workspace: Workspace, tmp_path: Path) -> None:
    blocks = re.findall(
        r"```\w+ save=\.aurora/workflows/(\S+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    (tmp_path / "review").mkdir()
    for name, text in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = simulate_workflow(workspace.workflows.load_file(tmp_path / "review.yaml"), workspace.tools, every=True)
    assert found.is_successful, [path.reason for path in found.paths]


def test_a_thousand_phases_in_a_row_have_no_suspect(simulated: Simulate) -> None:
    names = ["a", *(f"p{number}" for number in range(1, 1000)), "end"]
    found = simulated(
        "".join(_ask(name, "ok: { type: boolean }", names[number + 1]) for number, name in enumerate(names[:-1]))
    )
    assert (found.is_successful, found.is_complete) == (True, True)
    assert len(found.paths[0].steps) == 1000


def test_hundreds_of_branching_phases_with_loops_are_covered_or_cut_without_a_false_suspect(
    simulated: Simulate,
) -> None:
    phases = "".join(map(_branch, range(160)))

    cut = simulated(phases, bounds=Bounds(calls=900))
    assert cut.coverage.count_taken("phase", "true") == (320 + 160 + 3 * 160, 320 + 160 + 3 * 160)
    assert cut.unreached
    assert all(one.bound for one in cut.unreached)
    assert not cut.is_complete


def _branch(number: int) -> str:
    name, onward = f"p{number}" if number else "a", f"p{number + 1}" if number < 159 else "end"
    skip, back = (f"p{number + 2}" if number < 158 else "end"), (f"p{number - 1}" if number > 1 else "a")
    return _ask(name, "ok: { type: boolean }, kind: { enum: [x, y] }", f"q{number}") + (
        f"  q{number}: {{ prompt_template: Check it., answer: {{}}, next_action: ["
        f"{{ when: phases.{name}.answer.ok == `false`, then: {back}, max: 2, else: {onward} }}, "
        f"{{ when: \"phases.{name}.answer.kind == 'x'\", then: {skip} }}, {{ then: {onward} }}] }}\n"
    )


def test_a_loop_that_decides_by_its_answer_is_walked_to_its_end(simulated: Simulate) -> None:
    found = simulated(
        "  a: { prompt_template: Write it., answer: { type: string }, next_action: b }\n"
        "  b: { prompt_template: Review it., answer: { type: object, required: [good], properties: { good: "
        "{ type: boolean } } }, next_action: [{ when: answer.good, then: end }, { then: a, max: 3, else: end }] }\n"
    )
    assert found.is_successful
    assert found.is_complete


def test_a_rule_over_the_status_of_a_phase_is_tried_before_and_after_the_phase(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Ask it.
    answer: { enum: [x, y] }
    next_action: [{ when: "answer == 'x'", then: b }, { then: c }]
  b: { prompt_template: Go on., answer: { enum: [x] }, next_action: [{ then: a, max: 1, else: end }] }
  c:
    prompt_template: Check it.
    answer: { enum: [x, null] }
    next_action:
      - { when: "answer != null || phases.b.status != 'complete'", then: a, max: 2, else: end }
      - { then: end }
""",
        every=True,
    )
    listed = {tuple((phase, rule) for phase, rule, _ in path.signature[:-1]) for path in found.paths}
    assert (("a", 0), ("b", 0), ("a", 1), ("c", 1)) in listed
    assert not found.unreached


def test_a_status_that_an_input_recalls_tells_runs_apart(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    prompt_template: Ask it.
    answer: { enum: [x, y] }
    next_action: [{ when: "answer == 'x'", then: b }, { then: c }]
  b: { prompt_template: Go on., answer: { enum: [x] }, next_action: [{ then: a, max: 1, else: end }] }
  c:
    inputs: { seen: { from: phases.b.status, optional: true } }
    prompt_template: "Check it, {{ seen }}."
    answer: { enum: [x, null] }
    next_action:
      - { when: "answer != null || inputs.seen != 'complete'", then: a, max: 2, else: end }
      - { then: end }
""",
        every=True,
    )
    assert not found.unreached
    listed = {tuple((phase, rule) for phase, rule, _ in path.signature[:-1]) for path in found.paths}
    assert (("a", 0), ("b", 0), ("a", 1), ("c", 1)) in listed


def test_an_answer_of_one_of_several_shapes_is_whole_for_each(simulated: Simulate) -> None:
    fields = "{{ kind: {{ const: {1} }}, {0}: {{ type: string }} }}"
    shape = f"{{{{ type: object, required: [kind, {{0}}], additionalProperties: false, properties: {fields} }}}}"
    shapes = f"[{shape.format('text', 'answer')}, {shape.format('wish', 'ask')}]"
    test = "phases.a.answer.kind == 'ask'"
    found = simulated(
        f"  a: {{ prompt_template: Answer or ask., answer: {{ oneOf: {shapes} }}, next_action: b }}\n"
        f'  b: {{ prompt_template: Go on., answer: {{ type: object }}, next_action: [{{ when: "{test}", then: z }}, '
        "{ then: end }] }\n" + END
    )
    assert found.is_successful, found.unreached


def test_a_simulation_without_all_paths_tries_a_decline_too(simulated: Simulate) -> None:
    found = simulated(
        """
  a: { person: { message: "Go on?" }, next_action: b }
"""
        + _ask("b", "ok: { type: boolean }", "z")
        + END
    )
    assert [path.steps[-1].status for path in found.paths] == ["complete", "declined"]


def test_a_simulation_tries_an_empty_list_that_no_rule_asks_for(simulated: Simulate) -> None:
    found = simulated(
        """
  a:
    inputs: { xs: { type: array, items: { type: string } } }
    for_each: { in: inputs.xs, as: x, max: 3 }
    prompt_template: Do {{ x }}.
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action: [{ when: "answers[0].ok", then: end }, { then: z }]
"""
        + END
    )
    assert not found.is_successful
    assert next(path.reason for path in found.paths if path.status == "stuck").startswith("WORKFLOW_ERROR: rule 1")


def test_a_rule_that_needs_all_of_many_values_is_taken(simulated: Simulate) -> None:
    for number in (4, 12):
        fields = ", ".join(f"f{one}: {{ type: boolean }}" for one in range(number))
        rules = '[{ when: "contains(values(answer), `false`)", then: end }, { then: z }]'
        found = simulated(_ask("a", fields, rules) + END)
        assert found.is_successful, found.unreached


def test_a_rule_that_compares_an_answer_with_an_earlier_value_is_taken(simulated: Simulate) -> None:
    rules = '[{ when: "answer.really == inputs.version", then: z }, { then: end }]'
    second = _ask("b", "really: { type: string }, size: { type: integer }", rules).replace(
        "prompt_template", "inputs: { version: { from: inputs.version } }, prompt_template"
    )
    first = "  a: { inputs: { version: { type: string } }, prompt_template: Go., answer: {}, next_action: b }\n"
    found = simulated(first + second + END)
    assert found.is_successful, found.unreached
