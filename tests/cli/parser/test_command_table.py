"""The commands are the tools: none is missing, none is made up, and help loads none of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from aurora.cli.parser.command_table import COMMANDS, CUSTOM_COMMANDS, GROUPS
from aurora.cli.parser.options import build_parameters
from aurora.cli.render.registry import PLAIN_RENDERERS, RENDERERS, SUCCESS_CHECKS
from aurora.tools.core.exposure import NO_TOOL
from aurora.tools.runtime.dispatch import get_registry

Aur = Callable[..., Any]

HEAVY = ("aurora.memory", "aurora.tools", "aurora.interpreter", "apsw", "mcp", "pydantic", "rich")


def test_every_tool_with_a_command_is_reachable_under_its_own_words() -> None:
    declared = {" ".join(tool.command): tool.name for tool in get_registry().load_all() if tool.command}
    by_hand = {"init": "init.run", "workflow step": "workflow.step"}
    made = {words: word.tool for words, word in COMMANDS.items()} | by_hand

    assert made == declared


def test_every_command_made_by_hand_is_a_tool_but_for_the_server_and_the_walk() -> None:
    assert set(CUSTOM_COMMANDS) == {*NO_TOOL, "init", "workflow step"}


def test_every_group_has_commands_and_every_command_its_group() -> None:
    words = {*COMMANDS, *CUSTOM_COMMANDS}

    assert {name.split()[0] for name in words if " " in name} == set(GROUPS)


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_what_a_command_takes_is_exactly_what_its_tool_takes(words: str) -> None:
    word = COMMANDS[words]
    model = get_registry().find(word.tool).input

    made = {parameter.name for parameter in build_parameters(model, word.arguments)}

    assert made == {spec.alias or name for name, spec in model.model_fields.items()}
    assert set(word.files) <= made


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_an_option_is_helped_by_the_words_of_its_field(words: str) -> None:
    word = COMMANDS[words]
    model = get_registry().find(word.tool).input
    fields = {spec.alias or name: spec for name, spec in model.model_fields.items()}

    for parameter in build_parameters(model, word.arguments):
        if parameter.param_type_name == "option":
            field = fields[parameter.name]
            assert parameter.help.startswith(field.title or field.description or "")
            assert parameter.help


def test_every_renderer_and_every_verdict_belongs_to_a_tool() -> None:
    names = set(get_registry().names())

    assert {*RENDERERS, *PLAIN_RENDERERS} <= names
    assert not set(RENDERERS) & set(PLAIN_RENDERERS)
    assert set(SUCCESS_CHECKS) <= names


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
