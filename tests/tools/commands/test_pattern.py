"""A pattern allows what it shows, and no option, path or file of arguments by the way."""

from __future__ import annotations

import time

import pytest

from aurora.tools.commands.policy import ArgumentPattern

ALLOWED = {
    "-q": ["-q"],
    "*": ["", "a", "a b", "a;b", "$(id)", "`id`", "a&b|c", "ä", "main..feature", "a.b"],
    "tests/*": ["tests/", "tests/test_a.py"],
    "tests/*.py": ["tests/test_a.py", "tests/.py"],
    "**": ["", "a", "a/b", "a-/b.c/d_/e"],
    "src/**": ["src/", "src/a", "src/a/b"],
    "--cov=*": ["--cov=src", "--cov="],
    "-*": ["-", "-x", "--anything=goes"],
    "/**": ["/etc/x", "/"],
    "a*b*c": ["abc", "axbxc", "abbcc"],
    "https://example.com/**": ["https://example.com/", "https://example.com/a/b"],
}
REFUSED = {
    "-q": ["-Q", "-qq", "", " -q"],
    "*": [
        "-x",
        "--x",
        "/etc/passwd",
        "a/b",
        "~",
        "~/x",
        "@file",
        "\\x",
        "a\\b",
        "..",
        "a\nb",
        "a\tb",
        "a\0b",
        "a\x1b[1m",
    ],
    "tests/*": ["tests/a/b", "tests/..", "tests", "xtests/a", "tests/a\n", "../tests/a"],
    "**": ["-x", "/etc/passwd", "../x", "a/../x", "a/..", "a//b", "x=/etc/passwd", "https://evil", "a:/b", "~/x", "@x"],
    "src/**": ["src//etc/passwd", "src/../x", "src/a/..", "src/\n"],
    "--cov=*": ["--cov=/etc", "--cov=..", "--cov=../x", "--cov", "--covx=a"],
    "--out=**": ["--out=/etc/passwd", "--out=../x", "--out=~/../x"],
    "-*": ["x", "-I../x", "-o/etc/passwd"],
    "a*b*c": ["ab", "abcd", "acb"],
    "?": ["a"],
    "[ab]": ["a"],
}


@pytest.mark.parametrize(("pattern", "argument"), [(one, text) for one, texts in ALLOWED.items() for text in texts])
def test_a_pattern_matches(pattern: str, argument: str) -> None:
    assert ArgumentPattern(pattern).matches(argument)


@pytest.mark.parametrize(("pattern", "argument"), [(one, text) for one, texts in REFUSED.items() for text in texts])
def test_a_pattern_does_not_match(pattern: str, argument: str) -> None:
    assert not ArgumentPattern(pattern).matches(argument)


def test_a_hundred_wildcards_take_as_long_as_the_argument_is_long() -> None:
    pattern = ArgumentPattern("a*" * 100 + "b")
    start = time.process_time()

    assert not pattern.matches("a" * 100_000)

    assert time.process_time() - start < 2
