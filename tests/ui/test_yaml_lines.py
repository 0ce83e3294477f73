from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from aurora.interpreter.yaml import read_yaml
from aurora.ui.test_case import write_lines

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text(
    st.sampled_from("ab \n\t\\\"':#-{}[]%é😀"), max_size=400
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
@example("no")
@example(
    {"Null": "~", "a b": " \x85\u2028\ufeff\x7f", "<<": ["-", "- a", "? b", "1e3", "0x10", "2020-01-01", "=", "."]}
)
@example(["x" * 99 + "\\" * 9, "\n\n a\n", " " * 300, "é" * 300])
def test_a_value_is_read_back(value: Any) -> None:
    assert YAML(typ="safe", pure=True).load("".join(write_lines(value))) == value
    written = "".join(write_lines({"case": value}))
    root, problems = read_yaml(written, "case.yaml")
    assert root is not None
    assert root.to_data() == {"case": value}
    assert problems == ()


@pytest.mark.parametrize("depth", [19, 20, 21, 60])
def test_a_deep_value_is_read_back(depth: int) -> None:
    value: Any = "end"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}

    assert YAML(typ="safe").load("".join(write_lines(value))) == value


def test_half_of_a_surrogate_pair_is_a_question_mark() -> None:
    assert [*write_lines({"a": "x \ud800"})] == ['a: "x ?"\n']


def test_a_long_text_is_divided_between_words() -> None:
    first, second = "".join(write_lines({"a": f"{'word ' * 19}{'x' * 90}"})).splitlines()

    assert first == f'a: "{"word " * 19}\\'
    assert second == f'  {"x" * 90}"'


def test_a_text_of_several_lines_has_them_below_each_other() -> None:
    value = {"answers": [{"text": "one\ntwo\n  three", "sure": True}], "word": "plain", "none": []}

    assert "".join(write_lines(value)) == (
        'answers:\n  - text: "one\\n\\\n      two\\n\\\n      \\  three"\n    sure: true\nword: plain\nnone: []\n'
    )
