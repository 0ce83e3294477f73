"""The person's configuration: which calls it allows, and that a mistake in it allows none."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.commands.policy import ArgumentPattern, load_policy

if TYPE_CHECKING:
    from .conftest import Allow


ROOT = Path("/surely/no/project")
MISTAKES = {
    "[[commands]": "is not TOML",
    "commands = 3": "must be a list of tables",
    "commands = [3]": "must be a list of tables",
    "[[commands]]": '"program" is missing',
    '[[commands]]\nprogram = ""': '"program" must not be empty',
    "[[commands]]\nprogram = 5": '"program" must be a text',
    '[[commands]]\nprogram = "py*"': '"program" must be a name or a path',
    '[[commands]]\nprogram = "x"\nargs = []': 'unknown key "args"',
    '[[commands]]\nprogram = "x"\nargumentz = []': 'did you mean "arguments"?',
    '[[commands]]\nprogram = "x"\narguments = "-q"': '"arguments" must be a list of texts',
    '[[commands]]\nprogram = "x"\narguments = [1]': '"arguments", entry 1, must be a text',
    '[[commands]]\nprogram = "x"\nseconds = 601': '"seconds" must be at most 600',
    '[[commands]]\nprogram = "x"\nseconds = 0': '"seconds" must be at least 1',
    '[[commands]]\nprogram = "x"\nseconds = "9"': '"seconds" must be a whole number',
    '[[commands]]\nprogram = "x"\nvariables = ["A=b"]': '"variables", entry 1, must be the name of an',
    '[[commands]]\nprogram = "x"\nproject = "shop"': "must be an absolute path",
    '[[commands]]\nprogram = "x"\npath = "bin/x"': "must be an absolute path",
    '[[commands]]\nprogram = "bin/x"': "is a file of a project",
    '[[command]]\nprogram = "x"': 'unknown key "command"; did you mean "commands"?',
    "[something]\nelse = true": 'unknown key "something"',
    "# x\n\xff": "is not UTF-8: byte 0xff in line 2",
}


@pytest.mark.parametrize(("text", "said"), MISTAKES.items())
def test_a_mistake_is_named_and_allows_nothing(config: Path, text: str, said: str) -> None:
    config.write_bytes(text.encode("latin-1"))
    config.chmod(0o600)

    with pytest.raises(Fault) as raised:
        load_policy(ROOT)

    assert raised.value.code is Code.INVALID_INPUT
    assert said in raised.value.message
    assert raised.value.message.endswith("no command is allowed")
    assert '`program = "pytest"`' in raised.value.help
    assert "docs/" not in raised.value.help, "the pages are not installed"


def test_a_file_that_others_can_write_allows_nothing(allow: Allow) -> None:
    allow(program="echo").chmod(0o666)

    with pytest.raises(Fault, match="can be written by others; no command is allowed") as raised:
        load_policy(ROOT)
    assert raised.value.code is Code.FORBIDDEN


def test_the_first_arguments_are_positions_and_further_ones_are_alternatives(allow: Allow) -> None:
    allow(program="git", arguments=["log", "--oneline"], further=["-n*", "src/**"])
    policy = load_policy(ROOT)

    allowed = [["log", "--oneline"], ["log", "--oneline", "-n3"], ["log", "--oneline", "src/a/b", "-n3"]]
    refused = [[], ["log"], ["--oneline", "log"], ["log", "--oneline", "--all"], ["push", "--oneline"]]
    assert all(policy.find("git", one) for one in allowed)
    assert not any(policy.find("git", one) for one in refused)
    assert policy.find("gitk", ["log", "--oneline"]) is None
    assert policy.commands[0].describe() == "git log --oneline [-n* | src/**]…"


def test_an_edit_applies_to_the_next_call(allow: Allow) -> None:
    allow(program="echo")
    assert load_policy(ROOT).programs == ("echo",)
    allow(program="true")
    assert load_policy(ROOT).programs == ("echo", "true")


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
