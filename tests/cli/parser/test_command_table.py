"""Every tool with a command has one, no command is invented, and help imports no tool."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from aurora.cli.main import AUR
from aurora.cli.manual.commands_md import iter_leaf_commands
from aurora.cli.parser.command_table import COMMANDS, UNLISTED
from aurora.cli.parser.groups import CUSTOM_COMMANDS, GROUPS, CommandGroup
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand, build_parameters
from aurora.tools.core.exposure import NO_TOOL
from aurora.tools.runtime.dispatch import get_registry

Aur = Callable[..., Any]

HEAVY = ("aurora.memory", "aurora.tools", "aurora.interpreter", "apsw", "mcp", "pydantic", "rich")
DECLARED_COMMANDS = sorted(set(COMMANDS) - set(CUSTOM_COMMANDS))
TOOLS_BY_WORDS = {tool.command.words: tool for tool in get_registry().load_all() if tool.command}


def test_the_table_of_commands_is_what_the_tools_declare() -> None:
    declared = {words: (tool.name, tool.command.help) for words, tool in TOOLS_BY_WORDS.items()}

    assert declared == COMMANDS


def test_the_help_lists_every_command_but_those_that_say_so(aur: Aur) -> None:
    shown = aur("mem", "--help").stdout
    assert {words for words, tool in TOOLS_BY_WORDS.items() if not tool.command.is_listed} == UNLISTED
    for words in COMMANDS:
        group, _, name = words.rpartition(" ")
        if group == "mem":
            assert (f"\n  {name} " in shown) == (words not in UNLISTED)
    assert aur("mem", "themes", "--help").returncode == 0


def test_a_command_without_a_tool_has_code_help_and_a_reason() -> None:
    told = {words for words, command in CUSTOM_COMMANDS.items() if command.help}

    assert told == set(NO_TOOL) == set(CUSTOM_COMMANDS) - set(COMMANDS)


def test_a_switch_selects_a_tool_with_the_same_input() -> None:
    for tool in TOOLS_BY_WORDS.values():
        for switch in tool.command.switches.values():
            assert get_registry().find(switch.tool).input is tool.input


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_a_line_of_help_is_one_short_sentence(words: str) -> None:
    line = COMMANDS[words][1]

    assert line.endswith(".")
    assert len(line) <= 64
    assert "|" not in line


def test_every_group_has_commands_and_every_command_its_group() -> None:
    words = {*COMMANDS, *CUSTOM_COMMANDS}

    assert {name.rpartition(" ")[0] for name in words if " " in name} == set(GROUPS)


@pytest.mark.parametrize("words", DECLARED_COMMANDS)
def test_a_command_takes_exactly_the_fields_of_its_tool(words: str) -> None:
    model, command = TOOLS_BY_WORDS[words].input, TOOLS_BY_WORDS[words].command

    made = {parameter.name for parameter in build_parameters(model, command.arguments)}

    assert made == {spec.alias or name for name, spec in model.model_fields.items()}
    assert {*command.files, *command.arguments} <= made
    assert {command.stdin_file, command.stdout_file} <= {*command.files, ""}
    assert command.stdin_text in {*made, ""}


@pytest.mark.parametrize("words", DECLARED_COMMANDS)
def test_an_option_is_helped_by_the_words_of_its_field(words: str) -> None:
    model, command = TOOLS_BY_WORDS[words].input, TOOLS_BY_WORDS[words].command
    fields = {spec.alias or name: spec for name, spec in model.model_fields.items()}

    for parameter in build_parameters(model, command.arguments):
        if parameter.param_type_name == "option":
            field = fields[parameter.name]
            assert parameter.help.startswith(field.title or field.description or "")
            assert parameter.help


@pytest.mark.parametrize("words", [["--help"], ["mem", "--help"], ["workflow", "--help"], ["--version"]])
def test_help_loads_no_tool_and_no_heavy_library(words: list[str]) -> None:
    program = (
        "import sys; from aurora.cli.main import main; main(sys.argv[2:]); "
        "print([name for name in sys.argv[1].split(',') if name in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, ",".join(HEAVY), *words], capture_output=True, text=True, check=True
    )

    assert done.stderr.strip() == "[]"
    assert done.stdout


@pytest.mark.parametrize("words", sorted({*COMMANDS, *CUSTOM_COMMANDS, *GROUPS}))
def test_every_command_explains_itself(aur: Aur, words: str) -> None:
    done = aur(*words.split(), "--help")

    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: aur {words}")
    assert "None" not in done.stdout


@pytest.mark.parametrize(("words", "command"), [*iter_leaf_commands(AUR)])
def test_the_help_describes_every_argument(words: str, command: click.Command) -> None:
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    shown = command.get_help(click.Context(command, info_name=f"aur {words}"))

    assert ("Arguments:" in shown) == bool(arguments)
    assert isinstance(command, DescribedCommand | CommandGroup) or not arguments
    for one in arguments:
        assert isinstance(one, DescribedArgument), one
        assert one.metavar
        assert one.description.endswith("."), one.description


@pytest.mark.parametrize(
    ("words", "example"),
    [
        ("mem index", "aur mem index  # the whole project"),
        ("workflow new", "aur workflow new our-review --from code-review  # a copy"),
        ("init", "aur init --yes --hosts claude-code --no-index  # for one assistant"),
    ],
)
def test_the_help_shows_the_examples_of_the_manual(words: str, example: str, aur: Aur) -> None:
    manual = (Path(__file__).resolve().parents[3] / "COMMANDS.md").read_text(encoding="utf-8")

    assert f"\n  {example}\n" in aur(*words.split(), "--help").stdout.partition("\nExamples:")[2]
    assert f"\n{example}\n" in manual


def test_the_manual_names_every_argument() -> None:
    manual = (Path(__file__).resolve().parents[3] / "COMMANDS.md").read_text(encoding="utf-8")

    assert "] None" not in manual
    assert "- `EVENT`: " in manual
    assert "- `[PATH]`: The .jsonl file to write, relative to this folder;" in manual
