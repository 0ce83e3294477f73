"""Reading hostile YAML of the largest size ends within the limits, and says which limit was exceeded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.problems import MAX_BYTES
from aurora.interpreter.yaml import read_yaml
from aurora.interpreter.yaml.node import MAX_ANCHORS, MAX_CHARACTERS, MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 10.0
"""Seconds of processor time for one text: ten times what the slowest takes, a tenth of what it took without limits."""


def fill(line: Callable[[int], str], size: int = MAX_BYTES) -> str:
    """Repeat a line with its number up to this size."""
    lines, length, number = [], 0, 0
    while (length := length + len(text := line(number)) + 1) <= size:
        lines.append(text)
        number += 1
    return "\n".join(lines) + "\n"


def repeat(text: str, before: str = "", after: str = "") -> str:
    """Repeat a text up to the largest size, between two others."""
    return before + text * ((MAX_BYTES - len(before) - len(after)) // len(text)) + after


HALF = MAX_BYTES // 2
KEYS = ",".join(f"k{i}: 1" for i in range(100))
TEXTS = {
    "40,000 anchors": (lambda: fill(lambda i: f"k{i}: &a{i} 1"), "E103", "10,000 anchors"),
    "anchors on one line": (lambda: repeat("&a 1, ", "k: [", "1]"), "E103", "10,000 anchors"),
    "aliases of one letter less than their anchors": (
        lambda: fill(lambda i: f"k{i}: &anchor{i} 1", 200_000) + fill(lambda i: f"j{i}: *nchor{i}", HALF),
        "E103",
        "the rest is not read",
    ),
    "one alias many times": (lambda: repeat("*a, ", "k: &a 1\nl: [", "1]"), "E103", "100,000 values"),
    "a long text with many aliases": (
        lambda: f"k: &a {'x' * HALF}\nl: [{'*a,' * 1000}]\n",
        "E103",
        "2,000,000 characters",
    ),
    "a chain of merge keys": (
        lambda: fill(lambda i: f"m{i}: &m{i} {{<<: *m{i - 1}, k{i}: 1}}" if i else "m0: &m0 {k0: 1}", 200_000),
        "E103",
        "merge more than",
    ),
    "one map merged many times": (
        lambda: (
            "m: &m {" + ",".join(f"k{i}: 1" for i in range(100)) + "}\n" + fill(lambda i: f"j{i}: {{<<: *m}}", HALF)
        ),
        "E103",
        "merge more than",
    ),
    "a list of merges": (
        lambda: f"m: &m {{{','.join(f'k{i}: 1' for i in range(20_000))}}}\nj: {{<<: [{'*m,' * 40_000}]}}",
        "E103",
        "when its aliases are expanded",
    ),
    "merges of single values": (lambda: fill(lambda i: f"j{i}: {{<<: 1}}"), "E103", "the rest is not read"),
    "braces without a line end": (lambda: repeat("{{"), "E104", ""),
    "braces that never close, in brackets": (lambda: repeat("{{", "k: [@ "), "E104", ""),
    "tags that never close, in brackets": (lambda: repeat("{% ", "k: [@ "), "E104", ""),
    "braces and backticks, in brackets": (lambda: repeat("{{`", "k: [@ "), "E104", ""),
    "a value without quotes on each line": (
        lambda: fill(lambda i: f"k{i}: {{{{ x }}}} y", 300_000),
        "E103",
        "values up to here need quotes",
    ),
    "values without quotes after a long list": (
        lambda: f"k: [{'1,' * 40_000}]\n" + fill(lambda i: f"j{i}: @x", 1000),
        "E103",
        "values up to here need quotes",
    ),
    "colons without keys": (lambda: repeat(": "), "E104", ""),
    "lines without keys": (lambda: fill(lambda _: ": v"), "E104", ""),
    "tag directives": (lambda: fill(lambda i: f"%TAG !a{i}! tag:x{i}:"), "E103", 'begin with "%"'),
    "unknown tags": (lambda: fill(lambda i: f"k{i}: !t{i} v"), "E103", "the rest is not read"),
    "the same key": (lambda: fill(lambda _: "k: v", 200_000), "E103", "the rest is not read"),
    "an open quote at the start": (lambda: repeat("a\n ", "k: '"), "E104", "never ends"),
    "an error after a megabyte": (lambda: repeat("\n", "a: 1\n", "b\n  c: 1\n"), "E104", ""),
    "spaces before a character that is no key": (lambda: repeat(" ", "a", "x\n b: c: d"), "E104", ""),
    "spaces that only look like spaces": (lambda: repeat(": \u00a0", "k:\n", "\n]"), "E104", ""),
    "a list": (lambda: repeat("1,", "k: [", "1]"), "E103", "100,000 values"),
    "lists in lists": (lambda: repeat("[" * 60 + "]" * 60 + ",", "k: [", "1]"), "E103", "100,000 values"),
    "a million digits": (lambda: repeat("9", "k: "), "", ""),
    "a number with a million digits after its point": (lambda: repeat("9", "k: 1."), "", ""),
    "a line of a megabyte": (lambda: repeat("a ", "k: "), "", ""),
}
"""What builds the text, the code of the last problem, and words of its message."""


@pytest.mark.parametrize("case", TEXTS)
def test_hostile_text_of_the_largest_size_is_read_or_refused_quickly(case: str) -> None:
    build, code, words = TEXTS[case]
    text = build()
    assert len(text) <= MAX_BYTES

    started = time.process_time()
    root, problems = read_yaml(text, "x.yaml")
    taken = time.process_time() - started

    last = problems[-1] if problems else None
    assert (last.code if last else "") == code
    assert words in (last.message if last else "")
    assert root is not None or code
    assert len(problems) <= 200
    assert taken < MOST


def test_a_document_at_the_limits_is_read() -> None:
    values = read_yaml(f"[{'1,' * (MAX_NODES - 1)}]", "x.yaml")
    anchors = read_yaml("".join(f"k{i}: &a{i} 1\n" for i in range(MAX_ANCHORS)), "x.yaml")
    half = MAX_CHARACTERS // 4
    aliases = read_yaml(f"a: &a {'x' * (half - 4)}\nb: [*a, *a, *a]", "x.yaml")

    assert values[0] is not None
    assert values[0].size == MAX_NODES
    assert anchors[0] is not None
    assert aliases[0] is not None
    assert aliases[0].characters <= MAX_CHARACTERS


def test_many_unused_anchors_are_reported_as_one() -> None:
    root, problems = read_yaml(fill(lambda i: f"k{i}: &a{i} 1", 2_000), "x.yaml")

    assert root is not None
    assert {one.code for one in problems} == {"W107"}
    assert len(problems) == 51
    assert problems[-1].message == f"from here on, {len(root.items) - 50} more anchors are never used"
