"""Expressions give what the library gives, and stop when their work exceeds the budget."""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

import jmespath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.errors import Cancelled, CancelScope
from aurora.interpreter.expressions.error import MAX_BRACKETS, MAX_CHARACTERS, MAX_DEPTH, ExpressionError
from aurora.interpreter.expressions.explain import collect_lookups, explain_expression, shorten_value
from aurora.interpreter.expressions.jmespath import compile_expression, evaluate_expression

LONG = "x" * 1_000_000
ROWS = [{"a": number, "s": str(number), "t": [number, number]} for number in range(100_000)]

HOSTILE = {
    "a list that doubles": ("@" + " | [@, @][]" * 60, "more than 1,000,000 steps"),
    "a list of lists that doubles": ("@" + " | [@, @]" * 60, "its result has more than"),
    "an object that doubles": ("@" + " | {a: @, b: @}" * 60, "its result has more than"),
    "doubled lists that are compared": (
        "[" + "@" + " | [@, @]" * 60 + ", " + "@" + " | [@, @]" * 60 + "] | [0] == [1]",
        "more than 10,000,000 characters",
    ),
    "a doubled list as a text": ("to_string(@" + " | [@, @]" * 60 + ")", "more than 10,000,000 characters"),
    "a doubled list in a message": ("length(@" + " | [@, @]" * 60 + " | type(@) | [@] | join(@, @))", "invalid type"),
    "a doubled list of the wrong type": ("abs(@" + " | [@, @]" * 60 + ")", "invalid type"),
    "a join of long texts": (
        "join(long, [long, long, long, long, long, long, long, long])",
        "more than 10,000,000 char",
    ),
    "joins inside each other": (
        "join('', [" * 12 + "long" + ", long, long])" * 12,
        "more than 10,000,000 characters",
    ),
    "texts that are escaped again and again": (
        "to_string([" * 45 + '\'""""""""\'' + "])" * 45,
        "more than 10,000,000 characters|at most 50 brackets",
    ),
    "a search in a long text for each row": (
        'rows[*].contains(`"' + "x" * 9_000 + "\"`, 'y')",
        "more than 10,000,000 characters",
    ),
    "long conditions": ("rows[?" + " || ".join(["s == 'x'"] * 90) + "]", "more than 1,000,000 steps"),
    "projections inside each other": ("rows[*].[t[*].[@, @], t[*].[@, @]][][][]", "more than 1,000,000 steps"),
    "a map of a map": ("map(&map(&[@, @, @, @], t), rows)", "more than 1,000,000 steps"),
    "a sort by a computed text": ("sort_by(rows, &join('-', [s, s, s, s, s, s, s]))", "more than 1,000,000 steps"),
    "sorts of the same list": ("[" + ", ".join(["sort(rows[*].s)"] * 40) + "]", "more than 1,000,000 steps"),
    "a reversed text": ("[" + ", ".join(["reverse(long)"] * 20) + "]", "more than 10,000,000 characters"),
    "copies in an object": ("@" + " | merge({a: @}, {b: @})" * 60, "its result has more than"),
}


@pytest.mark.parametrize(("text", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_expression_is_stopped_with_little_memory(text: str, words: str) -> None:
    scope = {"long": LONG, "rows": ROWS}
    before = measure_peak()
    with pytest.raises(ExpressionError, match=words) as raised:
        evaluate_expression(text, scope)
    assert len(str(raised.value)) < 500
    assert measure_peak() - before < 300


def measure_peak() -> float:
    """Return the megabytes that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000)


DEEP = {
    "brackets": "(" * 4_000 + "a" + ")" * 4_000,
    "open brackets": "(" * 9_000,
    "lists": "[" * 4_000 + "a" + "]" * 4_000,
    "objects": "{a: " * 1_900 + "a" + "}" * 1_900,
    "calls": "abs(" * 1_900 + "a" + ")" * 1_900,
    "filters": "a[?" * 2_000,
    "a literal": "`" + "[" * 4_000 + "]" * 4_000 + "`",
    "a literal that is open": "`" + "[" * 9_000,
    "negations": "!" * 9_000 + "a",
    "references": "map(" + "&" * 9_000 + "a, b)",
    "or": "a" + "||a" * 3_000,
    "and": "a" + "&&a" * 3_000,
    "pipes": "a" + "|a" * 4_000,
    "comparisons": "a" + "==a" * 3_000,
    "projections": "a" + "[*]" * 3_000,
    "flattened projections": "a" + "[]" * 4_000,
    "value projections": "a" + ".*" * 4_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_deep_expression_is_refused(text: str) -> None:
    with pytest.raises(
        ExpressionError, match=r"nested too deeply|never closed|never ends|ends too early|is written &&"
    ):
        compile_expression(text)
    assert explain_expression(text, {}) == ()
    assert collect_lookups(text, {}) == {}


def test_a_long_expression_is_refused_with_its_length() -> None:
    with pytest.raises(ExpressionError, match="has 100,000 characters; at most 10,000") as raised:
        compile_expression("a" * 100_000)
    assert raised.value.offset == MAX_CHARACTERS


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 4_000,
        "a" + "[0]" * 3_000,
        "'" + "((((" * 500 + "'",
        '"' + "[[[[" * 500 + '"',
        '`"' + "[[[[" * 500 + '"`',
        "a" + "||a" * (MAX_DEPTH - 2),
        "(" * MAX_BRACKETS + "a" + ")" * MAX_BRACKETS,
        "`" + "[" * MAX_BRACKETS + "]" * MAX_BRACKETS + "`",
    ],
)
def test_an_expression_at_the_limits_is_evaluated(text: str) -> None:
    assert evaluate_expression(text, {"a": None}) == jmespath.search(text, {"a": None})


def test_a_cancelled_evaluation_stops() -> None:
    scope = CancelScope()
    with scope.activate():
        scope.cancel()
        with pytest.raises(Cancelled):
            evaluate_expression("rows[*].a", {"rows": ROWS})


def test_an_explanation_shares_one_budget() -> None:
    text = " && ".join(["length(rows[?s != 'x'][]) > `0`"] * 20)
    parts = explain_expression(text, {"rows": ROWS[:90_000]})
    assert any("more than 1,000,000 steps" in part.note for part in parts)


def test_a_large_value_is_shortened_without_reading_it_whole() -> None:
    bomb: Any = "x"
    for _ in range(60):
        bomb = [bomb, bomb]
    assert str(shorten_value(bomb)).startswith("(2 items) [[[[")
    assert shorten_value(LONG) == "x" * 120 + "… (1,000,000 characters)"
    assert shorten_value({"a": [1, "é"]}) == {"a": [1, "é"]}


NAMES = st.sampled_from(["a", "b", "c"])
LITERALS = st.sampled_from(
    ["`0`", "`1`", "`true`", "`false`", "`null`", "`[]`", "`[1, true]`", "`{}`", "'x'", "''", '`{"a": 1}`']
)
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2.5, -1, "", "x", "3"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
FORMS = [
    "{0}.{name}", "{0}[0]", "{0}[-1]", "{0}[*]", "{0}[]", "{0}.*", "{0}[1:]", "{0}[::-1]", "{0}[?{1}]",
    "{0}[?{1}].{name}", "{0} | {1}", "({0} || {1})", "({0} && {1})", "!({0})", "({0} == {1})", "({0} != {1})",
    "({0} < {1})", "({0} >= {1})", "[{0}, {1}]", "{{a: {0}, b: {1}}}", "{0}[*].{name}", "({0}).[{1}, {name}]",
    "({0})", "abs({0})", "avg({0})", "ceil({0})", "contains({0}, {1})", "ends_with({0}, {1})", "floor({0})",
    "join('-', {0})", "keys({0})", "length({0})", "map(&{1}, {0})", "max({0})", "max_by({0}, &{1})",
    "merge({0}, {1})", "min({0})", "min_by({0}, &{1})", "not_null({0}, {1})", "reverse({0})", "sort({0})",
    "sort_by({0}, &{1})", "starts_with({0}, {1})", "sum({0})", "to_array({0})", "to_number({0})", "to_string({0})",
    "type({0})", "values({0})", "nothing({0})", "length()",
]  # fmt: skip
EXPRESSIONS = st.recursive(
    NAMES | LITERALS | st.just("@"),
    lambda inner: st.builds(
        lambda form, one, other, name: form.format(one, other, name=name), st.sampled_from(FORMS), inner, inner, NAMES
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(EXPRESSIONS, VALUES)
def test_an_expression_gives_what_the_library_gives(text: str, value: Any) -> None:
    scope = {"a": value, "b": [value, value], "c": {"a": value, "c": [1, 2]}}
    try:
        wanted = show(jmespath.compile(text).search(scope))
    except Exception:  # noqa: BLE001 - whatever the library raises
        with pytest.raises(ExpressionError):
            evaluate_expression(text, scope)
        return
    assert show(evaluate_expression(text, scope)) == wanted


def show(value: Any) -> str:
    return json.dumps(value, default=lambda each: type(each).__name__)
