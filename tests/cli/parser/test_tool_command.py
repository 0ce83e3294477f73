"""Declared commands: each is in the generated table once, and its words, arguments and switches clash with nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aurora.cli.context import build_common_options
from aurora.cli.manual.generated import GENERATED_FILES, format_alias_table, format_command_table
from aurora.cli.parser.command_table import COMMANDS
from aurora.cli.parser.groups import CUSTOM_COMMANDS
from aurora.cli.parser.tool_command import build_command
from aurora.tools.core import ToolRegistry
from aurora.tools.core.alias_table import ALIASES
from aurora.tools.core.declaration import Alias, Command
from aurora.tools.core.registry import index_tools

STATS = ToolRegistry().find("mem.stats")

ROOT = Path(__file__).resolve().parents[3]
TOOLS = {tool.name: tool for tool in ToolRegistry().load_all()}
WITH_COMMAND = sorted(name for name, tool in TOOLS.items() if tool.command)
GENERATED = [name for words, (name, _) in COMMANDS.items() if words not in CUSTOM_COMMANDS]
"""Tools whose command has no code of its own."""


def get_command(name: str) -> Command:
    command = TOOLS[name].command
    assert command
    return command


def get_field_names(name: str) -> set[str]:
    return {spec.alias or field for field, spec in TOOLS[name].input.model_fields.items()}


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_a_command_is_in_the_table_with_its_tool_and_its_help(name: str) -> None:
    command = get_command(name)

    assert COMMANDS[command.words] == (name, command.help)


def test_no_two_tools_have_the_same_command() -> None:
    words = Counter(get_command(name).words for name in WITH_COMMAND)

    assert [typed for typed, count in words.items() if count > 1] == []
    assert len(COMMANDS) == len(WITH_COMMAND)


def test_no_command_is_the_beginning_of_another_one() -> None:
    words = {*COMMANDS, *CUSTOM_COMMANDS} - {"serve"}  # it serves, and its commands make tokens

    assert [one for one in words for other in words if other.startswith(f"{one} ")] == []


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_the_words_of_a_command_can_be_typed(name: str) -> None:
    words = get_command(name).words.split(" ")

    assert 1 <= len(words) <= 2
    assert all(word.isascii() and word.replace("-", "").isalpha() and word.islower() for word in words)


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_every_field_that_a_command_names_is_one_of_the_input(name: str) -> None:
    command = get_command(name)
    named = {*command.arguments, *command.files, command.stdin_text, command.stdin_file, command.stdout_file} - {""}

    assert named <= get_field_names(name)
    assert len(set(command.arguments)) == len(command.arguments)


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_only_a_file_can_be_standard_input_or_output(name: str) -> None:
    command = get_command(name)

    assert {command.stdin_file, command.stdout_file} - {""} <= set(command.files)
    assert not (command.stdin_text and command.stdin_file)
    assert not command.stdin_text or command.files


@pytest.mark.parametrize("name", GENERATED)
def test_no_two_options_of_a_command_are_spelt_alike(name: str) -> None:
    spellings: list[str] = []
    for parameter in build_command(name).params:
        if parameter.param_type_name == "option":
            spellings += [*parameter.opts, *parameter.secondary_opts]

    assert [spelling for spelling, count in Counter(spellings).items() if count > 1] == []


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_no_field_of_a_command_is_called_like_a_common_option_or_a_switch(name: str) -> None:
    common = {parameter.name for parameter in build_common_options()}

    assert common.isdisjoint(get_field_names(name))
    assert get_field_names(name).isdisjoint(get_command(name).switches)
    assert common.isdisjoint(get_command(name).switches)


@pytest.mark.parametrize("name", GENERATED)
def test_at_most_the_last_argument_takes_several_values(name: str) -> None:
    arguments = [parameter for parameter in build_command(name).params if parameter.param_type_name == "argument"]

    assert [argument.name for argument in arguments] == list(get_command(name).arguments)
    assert all(argument.nargs == 1 for argument in arguments[:-1])
    required = [argument.required for argument in arguments]
    assert required == sorted(required, reverse=True)


@pytest.mark.parametrize("name", WITH_COMMAND)
def test_a_switch_leads_to_another_tool_that_exists_and_explains_itself(name: str) -> None:
    for switch in get_command(name).switches.values():
        assert switch.tool in TOOLS
        assert switch.tool != name
        assert switch.help


def test_the_generated_tables_are_those_of_the_checkout() -> None:
    assert (ROOT / "cli/parser/command_table.py").read_text(encoding="utf-8") == format_command_table()
    assert (ROOT / "tools/core/alias_table.py").read_text(encoding="utf-8") == format_alias_table()


def test_every_generated_file_exists_and_is_not_empty() -> None:
    assert [name for name in GENERATED_FILES if not (ROOT / name).read_bytes()] == []


def test_an_alias_belongs_to_one_tool_and_is_no_tools_name() -> None:
    declared = Counter(alias for tool in TOOLS.values() for alias in tool.alias_names)

    assert [alias for alias, count in declared.items() if count > 1] == []
    assert set(ALIASES) == set(declared)
    assert set(ALIASES).isdisjoint(TOOLS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"command": Command("mem stats", "Show them.")}, 'the command "mem stats" is claimed by both'),
        ({"name": "mem_stats", "command": None}, 'the manifest name "mem_stats" is claimed by both'),
        ({"aliases": (Alias("mem.stats"),), "command": None}, '"mem.stats" names both'),
    ],
)
def test_two_tools_that_claim_the_same_are_refused(change: dict[str, Any], message: str) -> None:
    other = replace(STATS, **{"name": "mem.other", "mcp": None, **change})

    with pytest.raises(ValueError, match=message):
        index_tools([STATS, other])


def test_a_tool_without_a_command_cannot_be_built_as_one() -> None:
    (name, *_) = sorted(set(TOOLS) - set(WITH_COMMAND))

    with pytest.raises(LookupError, match=f'the tool "{name}" has no command'):
        build_command(name)
