"""YAML is loaded to a tree with places, and hostile text to problems."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.problems.problem import split_yaml_lines
from aurora.interpreter.problems.render import MAX_BYTES
from aurora.interpreter.yaml.load import read_yaml

if TYPE_CHECKING:
    from aurora.interpreter.yaml.node import Node


def load_tree(text: str | bytes) -> Node:
    root, problems = read_yaml(text, "x.yaml")
    assert problems == ()
    assert root is not None
    return root


def list_problems(text: str | bytes) -> list[tuple[str, int, int]]:
    _, problems = read_yaml(text, "x.yaml")
    return [(one.code, one.line, one.column) for one in problems]


ODD = st.text(alphabet="a:-[]{}&*!|>\"'#%@`,?\n\t ", max_size=80)


@settings(max_examples=100)
@given(st.one_of(st.binary(max_size=400), st.text(max_size=400), ODD))
def test_any_bytes_give_a_tree_or_problems(text: bytes | str) -> None:
    root, problems = read_yaml(text, "x.yaml")
    assert root is not None or any(one.severity == "error" for one in problems)
    lines = split_yaml_lines(text if isinstance(text, str) else text.decode("utf-8-sig", errors="replace"))
    for one in problems:
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column <= len(lines[one.line - 1]) + 1
        assert one.end_column > one.column


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
HOSTILE = {
    "an alias bomb": (BOMB, "E103"),
    "a map that holds itself": ("&a {b: *a}", "E104"),
    "100,000 open brackets": ("[" * 100_000, "E103"),
    "100,000 closed brackets": ("[" * 100_000 + "]" * 100_000, "E103"),
    "100,000 open braces": ("{a: " * 100_000, "E103"),
    "100,000 dashes": ("- " * 100_000, "E103"),
    "100,000 question marks": ("? " * 100_000, "E103"),
    "1,000 nested keys": ("".join(" " * i + "a:\n" for i in range(1000)), "E103"),
    "half a million values": ("- a\n" * 250_000, "E103"),
    "50,000 colons": (":" * 50_000, "E104"),
    "50,000 anchors": ("&a " * 50_000, "E104"),
    "a megabyte too many": ("a: " + "x" * MAX_BYTES, "E103"),
    "UTF-16": ("a: 1".encode("utf-16"), "E102"),
    "Latin-1": ("a: é".encode("latin-1"), "E102"),
    "a NUL": ("a: \x00b", "E104"),
    "half a surrogate": ('a: "\\ud800"', "E104"),
    "an unknown directive": ("%FOO\n---\na: 1", "E104"),
    "YAML 3": ("%YAML 3.0\n---\na", "E104"),
    "a Python object": ("!!python/object:os.system x", "E106"),
    "binary": ("a: !!binary aGVsbG8=", "E106"),
}


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_hostile_text_is_one_problem_found_quickly(case: str) -> None:
    text, code = HOSTILE[case]
    started = time.process_time()
    assert [found for found, _, _ in list_problems(text)] == [code]
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\n\tb: 2", ("E104", 2, 1)),
        ("é: 1\na: 大\x00", ("E104", 2, 5)),
        ("a: ü\nb: ö".encode() + b" \xff", ("E102", 2, 6)),
        ("a: `1`", ("E104", 1, 4)),
        ("a: {{ b }}", ("E104", 1, 4)),
        ('a: 1\nb: "c\nd: 2', ("E104", 2, 4)),
        ("a: [1, [2]\n\n", ("E104", 1, 4)),
        ("a: 1\nb: 2\na: 3", ("E105", 3, 1)),
        ("true: 1\n'true': 2", ("E105", 2, 1)),
    ],
)
def test_a_mistake_is_reported_at_its_place(text: str | bytes, place: tuple[str, int, int]) -> None:
    assert list_problems(text) == [place]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("True", True),
        ("~", None),
        ("", None),
        ("0x1F", 31),
        ("0o17", 15),
        ("012", 12),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!!int 3", 3),
        ("9" * 400, "9" * 400),
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    root, problems = read_yaml(f"a: {text}", "x.yaml")
    assert root is not None
    assert root.to_data() == {"a": value}
    assert {problem.code for problem in problems} <= {"W110"}, "a number that is shown in another way is reported"


def test_keys_that_are_not_texts_are_found_by_their_text() -> None:
    root = load_tree("1: a\ntrue: b\nnull: c\n1.5: d")
    assert root.to_data() == {"1": "a", "true": "b", "null": "c", "1.5": "d"}
    assert [root.get(key).value for key in ("1", "true", "null", "1.5")] == ["a", "b", "c", "d"]  # type: ignore[union-attr]


def test_a_mapping_s_own_keys_and_earlier_ones_win_over_merged_keys() -> None:
    root = load_tree("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\nd: {'<<': 1}")
    assert root.get("c").to_data() == {"y": 1, "z": 2, "x": 3}  # type: ignore[union-attr]
    assert root.get("d").to_data() == {"<<": 1}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: one two", (1, 8, 11)),
        ("a: 'one two'", (1, 9, 12)),
        ('a: "one two"', (1, 9, 12)),
        ("a: '大大 two'", (1, 8, 11)),
        ("a: |\n  one two\n", (2, 7, 10)),
        ("a: |-\n\n    zero\n     one two", None),
        ("a: >-\n  one two", (2, 7, 10)),
        ("a: |2\n   one two", None),
    ],
)
def test_a_part_of_a_scalar_is_found_where_it_is_written(text: str, expected: tuple[int, int, int] | None) -> None:
    node = load_tree(text).get("a")
    assert node is not None
    place = node.locate_text(str(node.value).index("two"), 3)
    lines = text.split("\n")
    assert lines[place.line - 1][place.column - 1 : place.end_column - 1] == "two"
    if expected is not None:
        assert (place.line, place.column, place.end_column) == expected


@pytest.mark.parametrize(
    "text",
    ["a: 'it''s two'", 'a: "\\u006fne two"', "a: 'it''s\n  two'", "b: &b one two\na: *b", "b: &b one\n  two\na: *b"],
)
def test_a_part_of_an_escaped_or_aliased_scalar_is_the_whole_scalar(text: str) -> None:
    node = load_tree(text).get("a")
    assert node is not None
    assert node.locate_text(str(node.value).index("two"), 3) == node.place


@pytest.mark.parametrize(
    "text",
    [
        "a: one\n  two",
        "a: >\n  one\n  two\n",
        "a: >-\n  one\n\n  two\nb: 1\n",
        "a: 'one\n  two three'",
        'a: "one\n\n  two"\nb: two',
        "a: { b: one\n     two }",
    ],
)
def test_a_part_of_a_folded_scalar_is_on_its_own_line(text: str) -> None:
    root = load_tree(text)
    node = root.get("a")
    assert node is not None
    node = node.get("b") or node
    place = node.locate_text(str(node.value).index("two"), 3)
    assert text.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1] == "two"
    assert place.line > node.place.line
