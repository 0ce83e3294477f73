"""Gap check: rules that cover every case, and rules that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Gap = Callable[..., str | None]

HEAD = """
aurora: 1
name: gaps
version: '1'
start: a
phases:
  a:
    inputs:
      size: { enum: [small, large] }
      sure: { type: boolean, default: true }
      maybe: { type: [boolean, "null"], optional: true }
      count: { type: integer, minimum: 1 }
      text: { type: string }
    uses: mem.stats
    with: {}
    output:
      type: object
      required: [verdict, score, items]
      additionalProperties: false
      properties:
        verdict: { enum: ["YES", "NO"] }
        score: { type: number, minimum: 0, maximum: 1 }
        extra: { enum: [a, b] }
        items: { type: array }
    next_action:
"""


@pytest.fixture
def gap(tmp_path: Path) -> Gap:
    """The gap reported for rules with these conditions; None when there is none."""
    with Workspace(tmp_path) as workspace:
        catalog = workspace.workflows

    def find(*conditions: str) -> str | None:
        path = tmp_path / "gaps.yaml"
        path.write_text(HEAD + "".join(f'      - {{ when: "{when}", then: end }}\n' for when in conditions), "utf-8")
        found = catalog.find_problems(str(path))
        # The fields of `output` are made up, and E505 says that the tool does not give them.
        assert {one.code for one in found} <= {"E505", "W309", "W310", "W314", "W405", "W603"}
        found = tuple(one for one in found if one.code == "W405")
        return found[0].message.split("no other rule is true", 1)[1].split(";")[0].strip() if found else None

    return find


@pytest.mark.parametrize(
    "conditions",
    [
        ("verdict == 'YES'", "verdict == 'NO'"),
        ("verdict == 'YES'", "verdict != 'YES'"),
        ("verdict == 'YES' || verdict == 'NO'",),
        ("'YES' == verdict", "!(verdict == 'YES')"),
        ("inputs.sure", "!(inputs.sure)"),
        ("inputs.sure == `true`", "inputs.sure == `false`"),
        ("inputs.size == 'small' && inputs.sure", "inputs.size == 'large' && inputs.sure", "!(inputs.sure)"),
        ("inputs.maybe == `null`", "inputs.maybe", "!(inputs.maybe)"),
        ("score > `0.5`", "score <= `0.5`"),
        ("score >= `0`",),
        ("score < `0.3`", "score >= `0.3` && score < `0.7`", "score >= `0.7`"),
        ("inputs.count > `0`",),
        ("inputs.text == 'x'", "inputs.text != 'x'"),
        ("length(items) == `0`", "length(items) > `0`"),
        ("extra == 'a'", "extra == 'b'", "extra == `null`"),
        ("contains(items, 'x')", "!contains(items, 'x')"),
        ("run.step == run.visits.a", "!(run.step == run.visits.a)"),
    ],
)
def test_rules_that_cover_every_case_have_no_gap(gap: Gap, conditions: tuple[str, ...]) -> None:
    assert gap(*conditions) is None


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (("verdict == 'YES'",), "when \"verdict\" is 'NO'"),
        (("verdict != 'YES' && inputs.sure",), 'when "verdict" is \'YES\' and "inputs.sure" is true'),
        (("inputs.maybe", "!(inputs.maybe)"), None),
        (("inputs.sure == `true`",), 'when "inputs.sure" is false'),
        (("inputs.maybe == `true`", "inputs.maybe == `false`"), 'when "inputs.maybe" is null'),
        (("score > `0.5`", "score < `0.5`"), "for every result"),
        (("score > `0`",), "for every result"),
        (("inputs.text == 'x'",), "for every result"),
        (("extra == 'a'", "extra == 'b'"), 'when "extra" is null'),
        (("length(items) > `0`",), "for every result"),
        (("contains(items, 'x')",), "for every result"),
    ],
)
def test_a_case_without_a_true_rule_is_named(gap: Gap, conditions: tuple[str, ...], words: str | None) -> None:
    assert gap(*conditions) == words


def test_rules_with_too_many_cases_are_not_judged(gap: Gap) -> None:
    many = " && ".join(f"items[{index}] == 'x'" for index in range(12))
    assert gap(many) is None
