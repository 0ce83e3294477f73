"""Condition checks: `!`, `&&`, `||` and null, correct ones and faulty ones."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.expressions.jmespath import ExpressionError, compile_expression
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = Callable[[str], list[tuple[str, str, str]]]

WORKFLOW = """
aurora: 1
name: logic
version: 1.0.0
start: look
phases:
  look:
    inputs: { query: { type: string }, sure: { type: boolean, default: false } }
    uses: mem.search
    with: { query: query }
    output:
      type: object
      required: [done, kind, score, tags, hits]
      additionalProperties: false
      properties:
        done: { type: boolean }
        kind: { enum: [A, B] }
        score: { type: number, minimum: 0, maximum: 1 }
        count: { type: integer }
        title: { type: [string, "null"] }
        tags: { type: array, items: { type: string } }
        hits:
          type: array
          items:
            type: object
            required: [sort]
            additionalProperties: false
            properties: { sort: { enum: [X, Y] }, size: { type: integer } }
    next_action:
      - when: >-
          WHEN
        then: tell
      - { when: inputs.sure, then: tell }
      - { then: end }
  tell:
    uses: mem.search
    with: { query: "'x'" }
    next_action: end
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """The code, the stretch and the help of each problem of a rule with this test."""
    with Workspace(tmp_path) as workspace:

        def find(when: str) -> list[tuple[str, str, str]]:
            text = WORKFLOW.replace("WHEN", when)
            path = tmp_path / "logic.yaml"
            path.write_text(text, "utf-8")
            lines = text.splitlines()
            # The fields of `output` are made up, and E505 says that the tool does not give them.
            found = [one for one in workspace.workflows.find_problems(str(path)) if one.code != "E505"]
            return [(one.code, lines[one.line - 1][one.column - 1 : one.end_column - 1], one.help) for one in found]

        yield find


@pytest.mark.parametrize(
    "when",
    [
        "title != null && starts_with(title, 'x')",
        "count != null && count > `3`",
        "count == null || count > `3`",
        "(title || 'x') == 'x'",
        "!done == `true`",
        "(done || inputs.sure) == `true`",
        "!(kind == 'A')",
    ],
)
def test_a_correct_condition_has_no_problem(told: Told, when: str) -> None:
    assert told(when) == []


@pytest.mark.parametrize(
    ("when", "code", "stretch", "remedy"),
    [
        ("kind == 'A' || 'B'", "E306", "'B'", "write `kind == 'B'`"),
        ("'A' || kind == 'B'", "E306", "'A'", "write `kind == 'A'`"),
        ("done && (kind == 'A' || 'B')", "E306", "'B'", "write `kind == 'B'`"),
        ("kind == ('A' || 'B')", "W309", "'A' || 'B'", "write `kind == 'A' || kind == 'B'`"),
        ("kind != ('A' || 'B')", "W309", "'A' || 'B'", "write `kind != 'A' && kind != 'B'`"),
        ("length(hits[?sort == 'X' || 'Y']) > `0`", "W309", "'Y'", "write `sort == 'Y'`"),
        ("!kind == 'A'", "E308", "kind", "write `kind != 'A'`"),
        ("!score > `0.5`", "E308", "score", "write `!(score > `0.5`)`"),
        ("length(hits[?!sort == 'X']) > `0`", "E308", "sort", "write `sort != 'X'`"),
        ("done || kind", "E306", "kind", "compare it with a string"),
        ("tags && done", "E306", "tags", "test its length"),
        ("kind && done", "W309", "kind", "compare it with a string"),
        ("title", "E306", "title", "compare it with a string"),
        ("hits[0].sort", "E306", "hits[0].sort", "compare it with a string"),
        ("not_null(title, 'x')", "E306", "not_null(title, 'x')", "compare it with a string"),
        ("max(hits[*].size)", "E306", "max(hits[*].size)", "compare it with a number"),
    ],
)
def test_a_condition_that_is_no_boolean_is_reported_with_a_suggestion(
    told: Told, when: str, code: str, stretch: str, remedy: str
) -> None:
    assert [one[:2] for one in told(when)] == [(code, stretch)]
    assert remedy in told(when)[0][2]


@pytest.mark.parametrize(
    ("when", "code", "stretch", "remedy"),
    [
        ("hits[0].sort == 'Z'", "E307", "'Z'", ""),
        ("hits[-1].sort == 'x'", "E307", "'x'", "did you mean 'X'?"),
        ("result.hits[0].sort == 'X'", "E303", "result", "write `hits`"),
        ("hits[*].sort == 'X'", "E305", "'X'", "contains(LIST, 'X')"),
        ("contains(hits[*].sort, 'x')", "E307", "'x'", 'did you mean "X"?'),
        ("contains(tags, `3`)", "E305", "`3`", ""),
        ("tags > `0`", "E305", "`0`", "length(tags)"),
        ("kind < `3`", "E305", "`3`", "length(kind)"),
        ("done > `0`", "E305", "`0`", ""),
        ("tags.length > `0`", "E303", "length", ""),
        ("count == `1.5`", "E305", "`1.5`", ""),
        ("done == done", "W309", "done == done", ""),
        ("done == True", "E304", "True", "write `true`"),
        ("score >= `0`", "W309", "score >= `0`", ""),
        ("score > `1`", "W309", "score > `1`", ""),
    ],
)
def test_an_impossible_comparison_is_reported_at_its_token(
    told: Told, when: str, code: str, stretch: str, remedy: str
) -> None:
    found = [one for one in told(when) if one[0] not in ("E401", "E404")]

    assert [one[:2] for one in found] == [(code, stretch)]
    assert remedy in found[0][2]


@pytest.mark.parametrize(
    "when",
    [
        "contains(tags, 'x')",
        "contains(kind, 'A')",
        "contains(hits[*].sort, 'X')",
        "hits[0].sort == 'X'",
        "hits[0].size == `3`",
        "max_by(hits[?size != null], &size).sort == 'X'",
        "length(hits[?size > `3` || sort == 'X']) > `0`",
        "length(hits[?(size || `1`) > `3`]) > `0`",
        "not_null(title, 'x') == 'x'",
        "count == `2.0`",
        "!tags",
        "!(hits[?sort == 'X'])",
    ],
)
def test_a_possible_comparison_has_no_problem(told: Told, when: str) -> None:
    assert told(when) == []


@pytest.mark.parametrize(
    ("when", "stretch", "said"),
    [
        ("kind === 'A'", "===", '"===" is written == here'),
        ("kind <> 'A'", "<>", '"<>" is written != here'),
        ("score => `1`", "=>", '"=>" is written >= here'),
        ("done & done", "&", '"&" is written && here'),
        ("done ? done : done", "?", 'there is no "?" here'),
        ("score + `1` > `2`", "+", 'there is no "+" here'),
        ("score - `1` > `2`", "-", 'there is no "-" here'),
        ("kind in tags", "in", '"in" is not a word of JMESPath'),
        ("kind is 'A'", "is", '"is" is not a word of JMESPath'),
    ],
)
def test_signs_of_other_languages_are_told_with_what_is_written_here(when: str, stretch: str, said: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(when)

    assert str(caught.value) == said
    assert when[caught.value.offset : (caught.value.offset or 0) + caught.value.length] == stretch


def test_many_rules_over_many_switches_are_checked_in_bounded_time(tmp_path: Path) -> None:
    switches = ", ".join(f"b{number}: {{type: boolean}}" for number in range(40))
    head = "aurora: 1\nname: h\nversion: 1.0.0\nstart: a\nphases:\n  a:\n"
    text = f"{head}    inputs: {{{switches}}}\n    next_action:\n"
    for number in range(99):
        test = " && ".join(f"inputs.b{bit} == `{'true' if number >> bit & 1 else 'false'}`" for bit in range(12))
        text += f'      - {{when: "{test}", then: end}}\n'
    with Workspace(tmp_path) as workspace:
        started = time.process_time()
        workspace.workflows.check_text(text, tmp_path / "h.yaml")
    assert time.process_time() - started < 8  # 24 without a limit of the cases
