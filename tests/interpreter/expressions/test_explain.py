"""Explained expressions: the value and the text of each part."""

from __future__ import annotations

from typing import Any

import jmespath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from aurora.interpreter.expressions.explain import MAX_PARTS, explain_expression, unparse_tree
from aurora.interpreter.expressions.jmespath import ExpressionError, evaluate_expression

SCOPE = {
    "score": 9,
    "ok": True,
    "inputs": {"xs": [1, 2, 3], "name": "long " * 100},
    "phases": {"verify": {"answer": None}},
}

WRITTEN = [
    "a.b.c",
    '"a-b".c',
    "!a.b",
    "!(a && b)",
    "a && (b || c) && !d",
    "a && (b && c)",
    "a == (b == c)",
    "length(a[?x > `1`].y) > `2`",
    "a[0].b[-1]",
    "a[1:3].b",
    "a[::-1]",
    "a[].b[]",
    "a[*].b[?c]",
    "(a[*].b)[0]",
    "a.*.b",
    "a.[b, c].{x: d}",
    "sort_by(a, &b.c)",
    "(a | b).c",
    "@ == 'it\\'s'",
    '`{"a": [1, null, "x`y"]}`'.replace("`y", "y"),
]


@pytest.mark.parametrize("text", WRITTEN)
def test_an_unparsed_expression_means_the_same(text: str) -> None:
    tree = jmespath.compile(text).parsed

    assert jmespath.compile(unparse_tree(tree)).parsed == tree


_LEAVES = some.sampled_from(["score", "ok", "inputs.xs[0]", "length(inputs.xs)", "'x'", "`3`", "missing.name"])
_EXPRESSIONS = some.recursive(
    _LEAVES,
    lambda inner: some.one_of(
        some.tuples(inner, some.sampled_from(["&&", "||", "==", "!=", "<"]), inner).map(
            lambda three: f"({three[0]}) {three[1]} ({three[2]})"
        ),
        inner.map(lambda text: f"!({text})"),
    ),
    max_leaves=12,
)


FAILED = "it failed"


def outcome(text: str) -> Any:
    try:
        return evaluate_expression(text, SCOPE)
    except ExpressionError:
        return FAILED


@given(_EXPRESSIONS)
@settings(max_examples=50)
def test_every_part_has_the_value_of_its_own_text(text: str) -> None:
    tree = jmespath.compile(text).parsed

    assert outcome(unparse_tree(tree)) == outcome(text)
    for part in explain_expression(text, SCOPE):
        if part.state != "skipped":
            assert outcome(part.text) == (FAILED if part.state == "failed" else part.value)


def list_parts(text: str) -> list[tuple[str, int, Any]]:
    return [(part.text, part.depth, part.value) for part in explain_expression(text, SCOPE)]


def test_a_comparison_lists_its_operands() -> None:
    assert list_parts("score >= `12`") == [("score", 0, 9)]


def test_a_chain_lists_each_operand_and_its_parts() -> None:
    assert list_parts("ok && score > `3` && length(inputs.xs) > `2`") == [
        ("ok", 0, True),
        ("score > `3`", 0, True),
        ("score", 1, 9),
        ("length(inputs.xs) > `2`", 0, True),
        ("length(inputs.xs)", 1, 3),
        ("inputs.xs", 2, [1, 2, 3]),
    ]


def test_operands_after_a_decided_one_are_skipped() -> None:
    states = [(part.text, part.state) for part in explain_expression("score > `20` && length(missing) > `1`", SCOPE)]

    assert states == [("score > `20`", "known"), ("score", "known"), ("length(missing) > `1`", "skipped")]


def test_a_null_path_names_its_null_segment() -> None:
    (part,) = explain_expression("phases.verify.answer.subgoals[0] == 'x'".replace("[0]", ".first"), SCOPE)

    assert (part.value, part.note) == (None, "phases.verify.answer is null")


def test_a_failed_call_has_its_reason_and_its_arguments() -> None:
    first, second = explain_expression("length(score) > `2`", SCOPE)

    assert (first.text, first.state) == ("length(score)", "failed")
    assert first.note
    assert (second.text, second.value) == ("score", 9)


def test_a_long_value_is_cut_and_says_so() -> None:
    (part,) = explain_expression("inputs.name == 'x'", SCOPE)

    assert part.value.endswith("… (500 characters)")


def test_an_invalid_expression_has_no_parts_and_a_huge_one_few() -> None:
    assert explain_expression("score >", SCOPE) == ()
    assert len(explain_expression(" && ".join(["ok"] * 90), SCOPE)) == MAX_PARTS
