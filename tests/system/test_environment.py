"""The table of environment variables: it names all that are read, and a value without a meaning is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import aurora
from aurora.errors import EnvironmentFault
from aurora.system.environment import VARIABLES, check_environment, describe_value, read_flag, read_number, read_value
from aurora.tools.core import TOOLSETS

WRONG = {
    "AURORA_CALLS_AT_ONCE": ["0", "-1", "many", "1.5", "1234567", "٣", "1e3"],
    "AURORA_DATABASE": ["postgresql://me:secret@host/" + "x" * 5000],
    "AURORA_DB": ["x" * 5000],
    "AURORA_OTHER_CLONE": ["x" * 5000],
    "AURORA_PROJECT": ["x" * 5000],
    "AURORA_LOG": ["loud", "1", "debug,info"],
    "AURORA_LOG_FILE": ["x" * 5000],
    "AURORA_TIMEOUT": ["soon", "-1", "0", "nan", "inf", "1s"],
    "AURORA_TOOLSETS": ["every", "core,Graph", "core;runs"],
    "AURORA_TRUST": ["2", "maybe", "y"],
    "AURORA_WATCH": ["2", "of", "y"],
    "READ_ONLY": ["2", "maybe", "on", "off", "-1", "tru", "10"],
}
FLAGS = {"1": True, "true": True, "TRUE": True, "Yes": True, " 1 ": True, "0": False, "False": False, "no": False}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_value_without_a_meaning_is_refused_with_the_allowed_ones(name: str, value: str) -> None:
    for read in (check_environment, lambda environ: read_value(name, environ)):
        with pytest.raises(EnvironmentFault) as caught:
            read({name: value})
        assert f"the environment variable {name} is {describe_value(VARIABLES[name], value)}, not " in str(caught.value)
        assert "\n" not in caught.value.message
        assert all(f'"{allowed}"' in caught.value.message for allowed in VARIABLES[name].values)


def test_a_secret_value_is_not_shown() -> None:
    with pytest.raises(EnvironmentFault) as caught:
        check_environment({"AURORA_DATABASE": WRONG["AURORA_DATABASE"][0]})
    assert "secret" not in repr(caught.value.to_json())


def test_every_variable_has_wrong_values_here() -> None:
    assert set(WRONG) == set(VARIABLES)


@pytest.mark.parametrize(("value", "meant"), [*FLAGS.items(), ("", None), ("  ", None)])
def test_a_flag_is_read_without_case(value: str, meant: bool | None) -> None:  # noqa: FBT001 - the expected value
    assert read_flag("READ_ONLY", {"READ_ONLY": value}) is meant


def test_numbers_and_texts_are_read() -> None:
    assert read_number("AURORA_TIMEOUT", {"AURORA_TIMEOUT": " 0.5 "}) == 0.5
    assert read_number("AURORA_CALLS_AT_ONCE", {}) is None
    assert read_value("AURORA_DB", {"AURORA_DB": " team.db "}) == "team.db"
    check_environment({"AURORA_TOOLSETS": "graph, runs admin", "AURORA_LOG": "DEBUG", "AURORA_WATCH": "Off"})


def test_the_table_names_the_toolsets_that_exist() -> None:
    assert set(VARIABLES["AURORA_TOOLSETS"].values) == {*TOOLSETS, "all"}


def test_every_variable_that_the_source_names_is_in_the_table() -> None:
    package = Path(aurora.__file__).parent
    rooms = ("cli", "doctor", "tools", "memory", "interpreter", "hosts", "errors", "system")
    texts = (path.read_text(encoding="utf-8") for room in rooms for path in (package / room).rglob("*.py"))
    assert {found for text in texts for found in re.findall(r'"(AURORA_[A-Z_]+|READ_ONLY)"', text)} == set(VARIABLES)


@pytest.mark.parametrize("words", [["workflow", "list"], ["doctor"], ["mcp"], ["tools", "call", "mem.stats"], []])
def test_every_command_and_the_server_refuse_it_in_one_line(tmp_path: Path, aur_program: str, words: list[str]) -> None:
    environ = {**os.environ, "READ_ONLY": "maybe", "AURORA_LOG": "loud"}
    command = [aur_program, *words]
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'aur: the environment variable READ_ONLY is "maybe", not one of "1", "true", "yes", "0", "false", "no"; '
        'the environment variable AURORA_LOG is "loud", not one of "debug", "info", "warning", "error", "off"\n'
    )
    assert list(tmp_path.iterdir()) == []


def test_with_json_the_refusal_is_an_error_envelope(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "aurora", "--json", "mem", "stats"]
    environ = {**os.environ, "READ_ONLY": "2"}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "INVALID_INPUT"
