"""The person's configuration allows nothing while anything in it is wrong, and says what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aurora.faults import Code, Fault
from aurora.tools.commands import load_policy

if TYPE_CHECKING:
    from .conftest import Allow

ROOT = Path("/surely/no/project")
MISTAKES = {
    "[[commands]": "is not TOML",
    "commands = 3": "must be a list of tables",
    "commands = [3]": "must be a list of tables",
    "[[commands]]": '"program" is missing',
    '[[commands]]\nprogram = ""': '"program"',
    '[[commands]]\nprogram = "py*"': '"program"',
    '[[commands]]\nprogram = "x"\nargs = []': 'unknown key "args"',
    '[[commands]]\nprogram = "x"\nargumentz = []': 'did you mean "arguments"?',
    '[[commands]]\nprogram = "x"\narguments = "-q"': '"arguments"',
    '[[commands]]\nprogram = "x"\narguments = [1]': '"arguments.0"',
    '[[commands]]\nprogram = "x"\nseconds = 601': '"seconds"',
    '[[commands]]\nprogram = "x"\nvariables = ["A=b"]': '"variables.0"',
    '[[commands]]\nprogram = "x"\nproject = "shop"': "must be an absolute path",
    '[[commands]]\nprogram = "x"\npath = "bin/x"': "must be an absolute path",
    '[[commands]]\nprogram = "bin/x"': "is a file of a project",
    "\xff": "is not TOML",
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


def test_other_sections_are_ignored(config: Path) -> None:
    config.write_text("[something]\nelse = true\n", encoding="utf-8")
    config.chmod(0o600)

    assert load_policy(ROOT).commands == ()


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
