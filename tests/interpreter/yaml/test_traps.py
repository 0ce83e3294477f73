"""Texts that a comment cuts and numbers that read differently are reported, and honest comments are not."""

from __future__ import annotations

import pytest

from aurora.interpreter.problems import select_errors
from aurora.interpreter.yaml import read_yaml


def _tell(text: str) -> list[tuple[str, int, int]]:
    found = read_yaml(f"{text}\n", "t.yaml")[1]
    return sorted((problem.code, problem.line, problem.column) for problem in found)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("say: Close issue #42 and say why.", 18),
        ("title: Fix #1", 12),
        ("suits: [a]\nlist:\n  - sort issue #4\n", 16),
        ("vars:\n  colour: blue #00f", 16),
        ("when: answer.kind == other #x", 28),
    ],
)
def test_a_text_that_ends_at_a_number_sign_is_reported_there(text: str, column: int) -> None:
    assert _tell(text) == [("W109", text.rstrip().count("\n") + 1, column)]


@pytest.mark.parametrize(
    "text",
    [
        "say: Close it. # 42 is the answer",
        "max: 3 #three",
        "then: end #bye",
        "say: 'Close issue #42.'",
        "say: |\n  Close issue #42.",
        "say: Close issue#42.",
        "title: Tea #!shebang",
        "say: Tea ## a heading",
        "# all of it #7\nsay: Tea",
        "weights: { a: 0.50, b: 0.1, c: 1e-6, d: 10, e: -3, f: 0 }",
        "enum: [1.5, 10, 2026-11-28, 1.10.2, v1.10, '007', 4225e0a, 0]",
    ],
)
def test_an_honest_comment_and_an_ordinary_number_are_not(text: str) -> None:
    assert _tell(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: { say: It is issue #7. }\nb: 1", {"a": {"say": "It is issue #7."}, "b": 1}),
        ("a: { say: It is issue #7, then: end }", {"a": {"say": "It is issue #7", "then": "end"}}),
        ("say: Close {{ a }} #{{ b }}.", {"say": "Close {{ a }} #{{ b }}."}),
        ("when: answer == 'see #9'\nthen: end", {"when": "answer == 'see #9'", "then": "end"}),
        ("say: Close issue #42\n  and say why.\nb: 1", {"say": "Close issue #42 and say why.", "b": 1}),
        ("r: { when: contains(a, `false`), then: x }", {"r": {"when": "contains(a, `false`)", "then": "x"}}),
        ("r: { when: contains(a, 'x') && b, then: x }", {"r": {"when": "contains(a, 'x') && b", "then": "x"}}),
        ("r: { when: contains(a, b), then: x }", {"r": {"when": "contains(a, b)", "then": "x"}}),
        ("r: { t: join(', ', inputs.x) }\nq: 'b'", {"r": {"t": "join(', ', inputs.x)"}, "q": "b"}),
        ("r: { say: Well now, well, done, then: x }", {"r": {"say": "Well now, well, done", "then": "x"}}),
        ("r: { when: !a.b, then: x }", {"r": {"when": "!(a.b)", "then": "x"}}),
        ("when: !contains(a, b)\nthen: x", {"when": "!contains(a, b)", "then": "x"}),
    ],
)
def test_a_value_that_is_cut_is_one_error_and_is_read_as_it_was_meant(text: str, value: object) -> None:
    root, problems = read_yaml(f"{text}\n", "t.yaml")
    assert [problem.code for problem in select_errors(problems)] == ["E104"]
    assert root is not None
    assert root.to_data() == value


@pytest.mark.parametrize(
    ("written", "shown"),
    [("0644", "644"), ("-007", "-7"), ("0x1F", "31"), ("0o17", "15"), (".5e3", "500"), ("12e4", "120000")],
)
def test_a_number_that_is_shown_in_another_way_is_reported(written: str, shown: str) -> None:
    ((_, (problem,)),) = [read_yaml(f"a: {written}\n", "t.yaml")]
    assert (problem.code, problem.message) == ("W110", f"{written} is the number {shown}")


def test_a_number_with_underscores_is_a_text_and_a_version_is_cut_where_it_is_chosen() -> None:
    assert _tell("a: 1_000\nenum: [1.9, 1.10]\nb: 1.10") == [("W110", 1, 4), ("W110", 2, 13)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{ message: Go on? }", {"message": "Go on?"}),
        ("[ready?, set?, go]", ["ready?", "set?", "go"]),
        ("{ a: what? # why\n  , b: 1 }", {"a": "what?", "b": 1}),
        ("{ see: https://example.org/x#y, at: 12:30 }", {"see": "https://example.org/x#y", "at": "12:30"}),
        ("[12:30, http://localhost:80]", ["12:30", "http://localhost:80"]),
    ],
)
def test_a_sign_that_only_older_yaml_refuses_between_brackets_is_part_of_the_text(text: str, value: object) -> None:
    root, problems = read_yaml(f"{text}\n", "t.yaml")
    assert root is not None
    assert problems == ()
    assert root.to_data() == value


@pytest.mark.parametrize("text", ["{a:b}", "{ when:x, then: y }"])
def test_a_key_without_a_space_behind_its_colon_is_an_error(text: str) -> None:
    assert [code for code, _, _ in _tell(text)] == ["E104"]
