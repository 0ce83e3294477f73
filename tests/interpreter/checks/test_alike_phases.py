"""Phases that are alike are checked once; one that differs from them in anything is checked by itself."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.checks import analyse_rules, view_definition
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Told = Callable[[Sequence[str]], dict[str, list[str]]]

HEAD = "aurora: 2\nname: alike\nversion: '1'\nstart: p0\nvars: { most: 3 }\nphases:\n"
PHASE = """  NAME:
    inputs:
      note: { type: string, default: a }
      size: { enum: [small, large], default: small }
    prompt_template: "Do {{ note }} at {{ size }}"
    answer:
      type: object
      required: [ok, kind, score]
      properties:
        ok: { type: boolean }
        kind: { enum: [plain, hard] }
        score: { type: integer, minimum: 0 }
        maybe: { type: integer }
    next_action:
      - { when: "answer.ok == `false` || answer.score > vars.most", then: NAME, max: 3, else: NEXT }
      - { when: "answer.kind == 'hard'", then: end }
      - { then: NEXT }
"""
CHANGES = {
    "a choice that the answer lacks": ("enum: [plain, hard]", "enum: [plain, simple]", ["E307"]),
    "a condition that may be null": ("answer.kind == 'hard'", "answer.maybe > `1`", ["W310"]),
    "a field with another type": ("score: { type: integer, minimum: 0 }", "score: { type: string }", ["E305"]),
    "a rule that an earlier one shadows": ("answer.ok == `false` ||", "answer.kind == 'hard' ||", ["E404"]),
    "an answer of the visit before": ("answer.kind == 'hard'", "phases.NAME.answer.kind == 'hard'", ["E312"]),
    "an input with other choices": ("answer.kind == 'hard'", "inputs.size == 'huge'", ["E307"]),
    "a rule without a default": ("      - { then: NEXT }\n", "", ["W405"]),
    "a name that no input has": ("      note: { type", "      text: { type", ["E602"]),
    "a prompt with a number": (
        'size: { enum: [small, large], default: small }\n    prompt_template: "Do {{ note }} at {{ size }}"',
        'size: { type: integer, default: 1 }\n    prompt_template: "Do {{ note | upper }} at {{ size.unit }}"',
        ["E602"],
    ),
    "a default that does not fit": ("default: small", "default: medium", ["E256"]),
    "a misspelt keyword": ("score: { type: integer, minimum: 0 }", "score: { type: integer, minimun: 0 }", ["W265"]),
    "a schema that nothing fits": ("minimum: 0 }", "minimum: 5, maximum: 1 }", ["E256"]),
}


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """The codes of the problems of each phase of a workflow with these phases, by name."""
    with Workspace(tmp_path) as workspace:

        def find(phases: Sequence[str]) -> dict[str, list[str]]:
            names = [f"p{index}" for index in range(len(phases))]
            texts = [
                text.replace("NAME", name).replace("NEXT", after)
                for text, name, after in zip(phases, names, [*names[1:], "end"], strict=True)
            ]
            path = tmp_path / "alike.yaml"
            path.write_text(HEAD + "".join(texts), "utf-8")
            begins = {name: (HEAD + "".join(texts[:index])).count("\n") for index, name in enumerate(names)}
            found: dict[str, list[str]] = {name: [] for name in names}
            for problem in workspace.workflows.find_problems(str(path)):
                found[max(name for name in names if begins[name] < problem.line)].append(problem.code)
            return found

        yield find


def test_alike_phases_without_a_mistake_have_none(told: Told) -> None:
    assert told([PHASE] * 5) == {f"p{index}": [] for index in range(5)}


@pytest.mark.parametrize("change", CHANGES)
def test_only_the_phases_that_differ_have_the_mistake_wherever_they_are(told: Told, change: str) -> None:
    old, new, codes = CHANGES[change]
    assert old in PHASE
    changed = PHASE.replace(old, new)
    for order in sorted(set(permutations([PHASE, PHASE, changed, changed]))):
        wanted = {f"p{index}": codes if text is changed else [] for index, text in enumerate(order)}
        assert told(order) == wanted


def test_the_cases_of_alike_rules_are_enumerated_once(tmp_path: Path) -> None:
    path = tmp_path / "alike.yaml"
    names = [f"p{index}" for index in range(20)]
    texts = [PHASE.replace("NAME", name).replace("NEXT", after) for name, after in pairwise([*names, "end"])]
    path.write_text(HEAD + "".join(texts), "utf-8")
    with Workspace(tmp_path) as workspace:
        definition = workspace.workflows.load_file(path)
        outcomes = analyse_rules(view_definition(definition, workspace.tools))
    assert list(outcomes) == names
    # the first phase of a workflow is by itself: nothing of another phase is there when it begins
    assert len({id(found) for found in outcomes.values()}) == 2
