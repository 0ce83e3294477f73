"""Chunking takes time in proportion to the length of a text, whatever it repeats."""

from __future__ import annotations

import time
from functools import partial

import pytest

from aurora.memory.chunking.chunk import MAX_PIECES, chunk_document, chunk_file
from aurora.memory.chunking.split import extract_module_doc
from aurora.memory.files.read import MAX_BYTES
from tests.growth import is_linear

FRAGMENTS = (
    *("[", "![", "[![", "](", "[a](", "[a]", "<a", "<h1>", "{#", ":a:`", "`", "*", "#", "=", "-", " ", "\t"),
    *("(", "\\", '"""', "|", "> ", "```", "::", "<!--", "\r", "é"),
)
PLACES = {"heading": "# a {} z", "underlined": "{}\n===", "paragraph": "{}", "string": '"a{}b'}
LENGTH = 200_000
RATIO = 8
"""The longer text has this many times the characters; where time grows with the square, it takes 64 times as long."""


def chunk(text: str, language: str) -> None:
    chunk_document(text.split("\n"), language)
    extract_module_doc(text.split("\n"), 0, 0)


@pytest.mark.parametrize("language", ["markdown", "rst"])
@pytest.mark.parametrize("place", PLACES)
def test_a_repeated_fragment_takes_time_in_proportion(place: str, language: str) -> None:
    for fragment in FRAGMENTS:
        short, long = (
            PLACES[place].format(fragment * (length // len(fragment))) + "\n\nplain words\n"
            for length in (LENGTH // RATIO, LENGTH)
        )
        assert is_linear(partial(chunk, language=language), short, long), fragment


@pytest.mark.parametrize(
    "unit", ["# a\n## b\n", "#\n", "# a\n", "a\n===\n\n", "```\n", "<h1>a</h1>\n", "> a\n", "- a\n\n"]
)
@pytest.mark.parametrize("language", ["markdown", "rst"])
def test_many_lines_take_time_in_proportion(unit: str, language: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (LENGTH // RATIO, LENGTH))
    assert is_linear(partial(chunk, language=language), short, long)


def test_a_file_with_a_hostile_heading_is_chunked() -> None:
    start = time.process_time()
    chunked = chunk_file("bomb.md", "markdown", "# " + "[" * 400_000 + "\n" + "some plain words here\n" * 20_000)
    assert {len(piece.symbol) for piece in chunked.pieces} == {120}
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("path", "language", "line"),
    [
        ("many.md", "markdown", "# h\n"),
        ("many.rst", "rst", "a\n=\n\n"),
        ("many.py", "python", "def f(): f()\n"),
        ("many.txt", "plain", "a\n"),
        ("many.pl", "perl", "sub f {}\n"),
    ],
)
def test_a_file_of_many_tiny_parts_becomes_lines_of_text(path: str, language: str, line: str) -> None:
    text = line * (MAX_BYTES // len(line))
    chunked = chunk_file(path, language, text)
    assert MAX_PIECES / 4 < len(chunked.pieces) <= MAX_PIECES
    assert {piece.kind for piece in chunked.pieces} == {"text"}
    assert chunked.parsed is (language in {"plain", "perl"})
    lines = text.count("\n")
    covered = [row for piece in chunked.pieces for row in range(piece.start_line, piece.end_line + 1)]
    assert len(covered) == len(set(covered)) >= lines - 2 * len(chunked.pieces)


def test_a_long_file_of_parts_within_the_limit_keeps_its_structure() -> None:
    chunked = chunk_file("many.md", "markdown", "# h\n\nwords\n" * MAX_PIECES)
    assert (len(chunked.pieces), chunked.parsed) == (MAX_PIECES, True)
    assert {piece.symbol for piece in chunked.pieces} == {"h"}
