"""Data flow checks: a path is reported unless its conditions exclude each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Problem

    Check = Callable[[str], tuple[Problem, ...]]

HEAD = "aurora: 1\nname: data\nversion: '1'\nstart: ask\nphases:\n"
ASK = """
  ask:
    inputs: { far: { type: boolean }, loud: { type: boolean, default: false } }
    prompt_template: "{{ far }} {{ loud }}"
    answer: {}
    next_action:
      - { when: inputs.far, then: travel }
      - { then: choose }
  travel:
    prompt_template: Travel there.
    answer: { type: string }
    next_action: choose
"""
TELL = """
  tell:
    inputs: { seen: { from: phases.travel.answer, type: string } }
    prompt_template: "{{ seen }}"
    answer: {}
    next_action: end
"""


@pytest.fixture
def check(tmp_path: Path) -> Iterator[Check]:
    """What is said of a workflow with these phases."""
    with Workspace(tmp_path) as workspace:

        def find(phases: str) -> tuple[Problem, ...]:
            path = tmp_path / "data.yaml"
            path.write_text(HEAD + phases, "utf-8")
            return workspace.workflows.find_problems(str(path))

        yield find


def _choose(rules: str, inputs: str = "far: { from: inputs.far, type: boolean }") -> str:
    name = inputs.split(":", 1)[0]
    return f"""
  choose:
    inputs: {{ {inputs} }}
    prompt_template: "{{{{ {name} }}}}"
    answer: {{}}
    next_action: {rules}
"""


def test_a_path_that_skips_the_writing_phase_is_reported(check: Check) -> None:
    found = check(ASK + _choose("tell") + TELL)

    assert [one.code for one in found] == ["W502"]
    assert 'ask (rule 2, when "inputs.far" is false) → choose → tell' in found[0].note


@pytest.mark.parametrize(
    "choose",
    [
        _choose("[{ when: inputs.far, then: tell }, { then: end }]"),
        _choose("[{ when: phases.travel != null, then: tell }, { then: end }]"),
        _choose("[{ when: run.step > `2`, then: tell }, { then: end }]"),
        _choose(
            "[{ when: inputs.seen != null, then: tell }, { then: end }]",
            "seen: { from: phases.travel.answer, optional: true, type: string }",
        ),
    ],
)
def test_a_path_with_dependent_decisions_is_not_reported(check: Check, choose: str) -> None:
    assert [one.heading for one in check(ASK + choose + TELL)] == []


def test_a_value_that_every_path_writes_is_not_reported(check: Check) -> None:
    always = ASK.replace("{ then: choose }", "{ then: travel }")

    assert [one.heading for one in check(always + _choose("tell") + TELL)] == []


def test_a_default_or_optional_covers_a_missing_value(check: Check) -> None:
    for word in ('default: ""', "optional: true"):
        assert [one.heading for one in check(ASK + _choose("tell") + TELL.replace("type: string", f"{word}"))] == []


KINDS = """
  ask: { prompt_template: Say which., answer: { enum: [small, large, odd] }, next_action: route }
  route: { next_action: [RULES] }
  other: { next_action: { then: end, say: Odd. } }
  tell:
    inputs: { size: { from: phases.ask.answer, enum: [small, large] } }
    prompt_template: "{{ size }}"
    answer: { type: string }
    next_action: end
"""


@pytest.mark.parametrize(
    ("rules", "is_possible"),
    [
        ("{ when: phases.ask.answer == 'odd', then: other }, { then: tell }", False),
        ("{ when: phases.ask.answer == 'odd', then: ask, max: 2, else: other }, { then: tell }", False),
        ("{ when: phases.ask.answer == 'small', then: other }, { then: tell }", True),
    ],
)
def test_a_choice_that_the_rules_before_exclude_need_not_fit(rules: str, check: Check, *, is_possible: bool) -> None:
    found = {problem.code for problem in check(KINDS.replace("RULES", rules))}
    assert found - {"E401"} == ({"W506"} if is_possible else set())


LATE = """
  ask:
    inputs: { far: { type: boolean } }
    prompt_template: "{{ far }}"
    answer: {}
    next_action:
      - { when: inputs.far, then: choose }
      - { then: choose }
  choose:
    inputs: { far: { from: inputs.far, type: boolean } }
    prompt_template: "{{ far }}"
    answer: {}
    next_action:
      - { when: inputs.far, then: tell }
      - { then: end }
  tell:
    inputs: { seen: { from: phases.travel.answer, type: string } }
    prompt_template: "{{ seen }}"
    answer: {}
    next_action: travel
  travel:
    prompt_template: Travel there.
    answer: { type: string }
    next_action: end
"""


def test_a_phase_that_comes_only_later_is_reported_even_if_the_steps_depend_on_one_value(check: Check) -> None:
    found = check(LATE)
    assert [one.code for one in found if one.code == "W502"] == ["W502"]
    (problem,) = [one for one in found if one.code == "W502"]
    assert problem.note == 'no path leads from "travel" to "tell"'


def test_a_phase_that_is_reached_only_through_its_reader_is_reported_in_a_loop_too(check: Check) -> None:
    looped = LATE.replace(
        "answer: { type: string }\n    next_action: end", "answer: { type: string }\n    next_action: ask"
    )
    (problem,) = [one for one in check(looped) if one.code == "W502"]
    assert problem.note == 'each path to "travel" leads through "tell"'


@pytest.mark.parametrize(
    ("moved", "codes"),
    [
        ("route: { after: synthesize }", ["W502"]),
        ("route: { after: collect }", ["W502"]),
        ("verify: { params: { pass_from: 0.7 } }", []),
    ],
)
def test_an_overlay_that_moves_a_phase_behind_its_reader_is_reported(
    tmp_path: Path, moved: str, codes: list[str]
) -> None:
    path = tmp_path / ".aurora" / "workflows" / "soar.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"extends: soar\nphases: {{ {moved} }}\n", "utf-8")
    with Workspace(tmp_path) as workspace:
        found = workspace.workflows.find_problems(str(path))
    assert [one.code for one in found] == codes
    assert all('input "plan" of phase "collect"' in one.message for one in found)


def test_an_output_that_early_exits_leave_out_is_reported_in_a_patch_of_soar(tmp_path: Path) -> None:
    path = tmp_path / ".aurora" / "workflows" / "soar.yaml"
    path.parent.mkdir(parents=True)
    fields = {"answer": "synthesize.answer.answer", "score": "verify.result.score", "goal": "decompose.answer.goal"}
    output = ", ".join(f"{name}: {{ from: phases.{read}, type: [string, number] }}" for name, read in fields.items())
    path.write_text(f"extends: soar\noutput: {{ {output} }}\n", "utf-8")
    with Workspace(tmp_path) as workspace:
        found = workspace.workflows.find_problems(str(path))
    assert [one.code for one in found] == ["W502"] * 3


def test_conditions_that_no_sample_stands_for_are_reported_as_doubtful(check: Check) -> None:
    doubtful = _choose("[{ when: \"run.date > '2026'\", then: tell }, { then: end }]")

    (problem,) = [one for one in check(ASK + doubtful + TELL) if one.code == "W502"]
    assert "a run may get here before the value is written" in problem.message
    assert problem.note.endswith("tell, if a run can take it")


def test_a_workflow_with_too_many_paths_says_what_was_not_tried(check: Check) -> None:
    answer = "{ type: object, required: [ok, t], properties: { ok: { type: boolean }, t: { type: string } } }"
    phases = ""
    for number in range(220):
        then = f"p{number + 1}" if number < 219 else "end"
        phases += f"""
  p{number}:
    inputs: {{ a: {{ from: phases.q{max(number - 1, 0)}.answer.t }} }}
    prompt_template: "{{{{ a }}}}"
    answer: {answer}
    next_action: [{{ when: answer.ok, then: q{number} }}, {{ then: r{number} }}]
  q{number}: {{ prompt_template: Go., answer: {answer}, next_action: r{number} }}
  r{number}: {{ next_action: [{{ when: phases.p{number}.answer.ok, then: {then} }}, {{ then: end }}] }}
"""
    found = check(phases.replace("p0", "ask"))
    assert [one.code for one in found if one.code in ("W108", "W502")] == ["W108", "W502"]
    assert "the workflow has too many paths" in next(one.message for one in found if one.code == "W108")


def test_an_error_in_one_phase_hides_nothing_of_the_others(check: Check) -> None:
    found = check("""
  ask:
    inputs: { far: { type: string } }
    prompt_template: Ask it.
    answer: { type: boolean }
    next_action: [{ when: "inputs.far ==", then: act }, { then: act }]
  act: { inputs: { near: { type: string } }, prompt_template: Do it., answer: { type: string }, next_action: stop }
  stop: { prompt_template: Stop., answer: { const: true }, next_action: end }
""")
    told = {(one.code, one.message.split('"')[1]) for one in found if one.code != "E301"}
    assert told == {("W603", "near"), ("W504", "act")}
