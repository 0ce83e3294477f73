"""JMESPath, and what is said when it fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.expressions.jmespath import ExpressionError, compile_expression, evaluate_expression


def refusal(text: str, scope: dict[str, Any]) -> ExpressionError | None:
    try:
        evaluate_expression(text, scope)
    except ExpressionError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("text", "message", "part", "remedy"),
    [
        ("a and b", '"and" is written && here', "and", ""),
        ("a OR b", '"OR" is written || here', "OR", ""),
        ("not a", '"not" is written ! here', "not", ""),
        ("a = 'b'", '"=" is written == here', "=", ""),
        ("a > 1", "a number must be in backticks", "1", "write `1`"),
        ("a > -0.5 && b", "a number must be in backticks", "-0.5", "write `-0.5`"),
        ("$.a", '"$" is not needed: the scope is the root', "$", "leave it out"),
        ("a == 'b", "the quoted text that begins here never ends", "'", "close it with '"),
        ("length(a", 'this "(" is never closed', "(", 'add the missing ")"'),
        ("a ==", "the expression ends too early", "=", ""),
        ("a.größe == 'x'", "a key with this character must be in double quotes", "größe", 'write "größe"'),
        ("a.名前", "a key with this character must be in double quotes", "名前", 'write "名前"'),
        (
            "a.content-type",
            "a key with this character must be in double quotes",
            "content-type",
            'write "content-type"; there is no arithmetic in expressions',
        ),
        ("a.'b-c'", "a key must be in double quotes; single quotes make a text", "'b-c'", 'write "b-c"'),
        ("a ~ b", '"~" is not allowed here', "~", ""),
        ("", "the expression ends too early", "", ""),
    ],
)
def test_a_mistake_is_told_in_the_words_of_who_made_it(text: str, message: str, part: str, remedy: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_expression(text)
    error = raised.value
    assert str(error) == message
    assert text[error.offset or 0 :][: error.length] == part
    assert error.help == remedy


@settings(max_examples=200)
@given(
    st.text(alphabet="ab.()[]{}'\"`?*&|!=<>-01,:@$ é\\", max_size=30),
    st.recursive(st.one_of(st.none(), st.integers(), st.text(max_size=3)), lambda inner: st.lists(inner, max_size=3)),
)
def test_any_text_is_evaluated_or_refused(text: str, value: Any) -> None:
    error = refusal(text, {"a": value, "b": {"a": value}})
    assert error is None or str(error)
    assert error is None or error.offset is None or 0 <= error.offset <= len(text)


@pytest.mark.parametrize("text", ["(" * 5_000 + "a" + ")" * 5_000, "!" * 5_000 + "a", "a" + ".a" * 50_000, "[" * 5_000])
def test_deep_nesting_is_refused_or_evaluated(text: str) -> None:
    error = refusal(text, {"a": None})
    assert error is None or "nested too deeply" in str(error) or "at most 10,000" in str(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a > 'x'", "different types"),
        ("length(`1`)", "length"),
        ("nothing(a)", "nothing"),
        ("join(a, b)", "join"),
    ],
)
def test_what_raises_when_evaluated_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        evaluate_expression(text, {"a": 1})
