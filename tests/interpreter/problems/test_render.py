"""Problems are rendered for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Place
from aurora.interpreter.problems.render import render_problem, render_problems

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter import Problem


def problem(line: int, column: int, end: int, message: str = "it is wrong", path: str = "x.yaml") -> Problem:
    return codes.BAD_VALUE.make_problem(
        Place(path, line, column, line, end), message, help="mend it", note="see y.yaml:1:2"
    )


def test_a_problem_has_its_line_a_caret_help_and_note() -> None:
    assert render_problem(problem(22, 4, 8), "a: wrong").split("\n") == [
        "x.yaml:22:4: error: it is wrong [E201 bad-value]",
        "   |",
        "22 | a: wrong",
        "   |    ^~~~",
        "   = help: mend it",
        "   = note: see y.yaml:1:2",
    ]


@pytest.mark.parametrize(
    ("line", "token", "caret"),
    [
        ("a: x", "x", "   ^"),
        ("\ta:\tx y", "x", "\t  \t^"),
        ("大きい: x", "x", "        ^"),
        ("大: 小さい", "小さい", "    ^~~~~~"),
        ("e\u0301: x", "x", "   ^"),
        ("🦊: x", "x", "    ^"),
    ],
)
def test_the_caret_is_under_its_token(line: str, token: str, caret: str) -> None:
    column = line.index(token) + 1
    assert render_problem(problem(7, column, column + len(token)), line).split("\n")[3] == f"  | {caret}"


def test_a_long_line_is_cut_around_the_token() -> None:
    line = "x" * 5000 + "wrong" + "y" * 5000
    _, _, source, caret, *_ = render_problem(problem(3, 5001, 5006), line).split("\n")
    assert len(source) < 200
    assert source[caret.index("^") :][:5] == "wrong"


def test_escape_codes_in_a_file_do_not_reach_the_screen() -> None:
    told = render_problem(problem(1, 1, 2, message='key "\x1b[2J\ud800\nx"'), "\x1b[31m red\x07")
    assert not any(char in told for char in "\x1b\x07\ud800")
    assert told.split("\n")[0] == 'x.yaml:1:1: error: key "\\u001b[2J\\ud800 x" [E201 bad-value]'
    told.encode()


def test_a_message_of_a_megabyte_is_cut() -> None:
    assert len(problem(1, 1, 2, message="x" * 1_000_000).message) < 700


def test_source_lines_are_read_from_the_files_and_omitted_if_missing(tmp_path: Path) -> None:
    there = tmp_path / "there.yaml"
    there.write_text("a: 1\r\nb: 2\n", encoding="utf-8")
    found = [problem(2, 1, 2, path=str(there)), problem(9, 1, 2, path=str(there)), problem(1, 1, 2, path="/gone.yaml")]
    first, second, third = render_problems(found).split("\n\n")
    assert "2 | b: 2\n  | ^\n" in first
    assert "|" not in second
    assert "|" not in third
