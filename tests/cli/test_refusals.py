"""What a command line cannot mean is refused in the words that a person types."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "code", "parts"),
    [
        (["init", "--hosts", "", "--dry-run"], 2, ("--hosts is empty", "aur init --help")),
        (["init", "--hosts", " , ", "--dry-run"], 2, ("--hosts is empty", "aur init --help")),
        (["hosts", "status", "--hosts", ""], 2, ("--hosts is empty", "aur hosts status --help")),
        (["mem", "stats", "--project", ""], 2, ("--project is empty", "aur mem stats --help")),
        (["workflow", "run", ""], 2, ("NAME|FILE is empty", "aur workflow run --help")),
        (["workflow", "run", "--run", ""], 2, ("--run is empty", "aur workflow run --help")),
        (["workflow", "step", ""], 2, ("PHASE is empty", "aur workflow step --help")),
        (["workflow", "step", "--workflow", ""], 2, ("--workflow is empty", "aur workflow step --help")),
        (["mem", "search", ""], 2, ("QUERY is empty", "aur mem search --help")),
        (["mem", "add", ""], 2, ("TEXT is empty", "aur mem add --help")),
        (["mem", "get"], 2, ("give ID or --path", "aur mem get --help")),
        (["mem", "get", "--path", "README.md", "--lines", "x"], 2, ("for example 10-40", "aur mem get --help")),
        (["mem", "get", "--path", "README.md", "know:1"], 2, ("either ID or --path, not both", "aur mem get --help")),
        (["mem", "import"], 2, ("give either path or text", "aur mem import --help")),
        (["mem", "add", "x" * 100_000], 2, ("TEXT should have at most", "aur mem add --help")),
        (["mem", "search", "x", "--since", "yesterday"], 2, ('"yesterday" is not a date', '"3d", "12h" or "90m"')),
        (["logs", "--since", "yesterday"], 2, ('"yesterday" is not a date', '"3d", "12h" or "90m"')),
        (["mem", "migrate"], 2, ("no database server is named", "--to postgresql://")),
        (["mem", "migrate", "--to", "foo"], 2, ("--to is not the URL of a PostgreSQL server", "--to postgresql://")),
        (["init", "--token-env", "X", "--yes"], 2, ("a token needs the address", "Pass --url with --token-env.")),
        (["jobs", "run", "maintenance", "--set", "foo"], 2, ('"foo" is not name=value', "path=docs")),
        (["tools", "call", "mem_search", "[]"], 2, ("must be a JSON object", '{"query": "retry delay"}')),
        (["mem", "search", "x", "--limit", "no"], 2, ("'no' is not a whole number", "aur mem search --help")),
        (["workflow", "step", "--step", "no"], 2, ("'no' is not a whole number", "aur workflow step --help")),
        (["workflow", "step", "--input", "a=1", "--input", "a=2"], 2, ('--input "a" is given twice', "step --help")),
        (["workflow", "run", "--input", "a=1", "--input", "a=2"], 2, ('--input "a" is given twice', "run --help")),
        (["ui", "--run", "nope"], 1, ('there is no run "nope"', "aur runs list")),
        (["ui", "/nonexistent"], 1, ('the project "/nonexistent" does not exist', "Name an existing folder.\n")),
        (["workflow", "validate", "/dev/zero"], 1, ("is a pipe, a socket or a device", "Name a regular file.")),
        (["workflow", "validate", "loop.yaml"], 1, ("is a cycle of symbolic links", "Replace the link by a file")),
        (
            ["workflow", "validate", os.fsdecode(b"caf\xe9.yaml")],
            2,
            (r'"caf\xe9.yaml" is not UTF-8', "validate --help"),
        ),
        (["workflow", "test", "empty.yaml"], 1, ("empty.yaml is empty", "`workflow: NAME`")),
        (["workflow", "run", "--answers", "empty.yaml"], 1, ("empty.yaml is empty", "Write it as YAML or JSON.")),
        (["workflow", "run", "--answers", "-"], 1, ("standard input is empty", "Write it as YAML or JSON.")),
        (["workflow", "run", "--answers", "[]"], 1, ("the answers must be an object", "by phase")),
        (["workflow", "step", "--answer", "."], 1, ('"." is a folder', "Name a file")),
        (["workflow", "step", "--answer", "-"], 1, ("standard input is empty", '{"ok": true}')),
        (["workflow", "step", "--answer", "{bad"], 1, ("is not JSON, line 1, column 2\n", '{"ok": true}')),
        (["workflow", "step", "--answer", "bytes"], 1, ('"bytes" is not UTF-8: byte 0xff in line 2', "UTF-8")),
    ],
)
def test_a_refusal_names_what_was_typed_and_the_remedy(
    aur: Aur, project: Path, words: list[str], code: int, parts: tuple[str, str]
) -> None:
    (project / "empty.yaml").touch()
    (project / "bytes").write_bytes(b"{\n\xff")
    (project / "loop.yaml").symlink_to("loop.yaml")

    done = aur(*words)

    assert (done.returncode, done.stdout) == (code, "")
    message, remedy = done.stderr.split("help: ")
    assert parts[0] in message
    assert parts[1] in remedy


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *((("mem", "search", "x"), name) for name in ("path", "language", "kind", "since", "workflow", "run")),
        *((("mem", "add", "x"), name) for name in ("subject", "tags", "source")),
        (("mem", "import"), "text"),
        (("mem", "get"), "path"),
        (("logs",), "tool"),
        (("runs", "list"), "text"),
        (("workflow", "new", "x"), "from"),
        (("jobs", "run", "maintenance"), "set"),
        (("doctor",), "only"),
        (("ui",), "run"),
        (("mcp",), "http"),
        (("mcp",), "toolsets"),
        (("hook", "session-start"), "file"),
        (("hook", "user-prompt"), "prompt"),
        (("tools", "call", "mem_search"), "params"),
    ],
)
def test_an_empty_option_is_wrong_in_every_command(aur: Aur, words: tuple[str, ...], name: str) -> None:
    for value in ("", " "):
        done = aur(*words, f"--{name}", value)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"aur: --{name} is empty\nhelp: Run `aur {words[0]} ")


@pytest.mark.parametrize(
    ("words", "name"), [(("ui", ""), "FOLDER"), (("tools", "call", ""), "NAME"), (("runs", "approve", ""), "RUN")]
)
def test_an_empty_argument_is_wrong_in_every_command(aur: Aur, words: tuple[str, ...], name: str) -> None:
    done = aur(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"aur: {name} is empty\n")


def test_names_that_are_only_commas_are_none(aur: Aur) -> None:
    assert "--only is empty" in aur("doctor", "--only", " , ").stderr
    assert "--toolsets is empty" in aur("mcp", "--toolsets", ",").stderr


def test_a_list_that_a_filter_empties_does_not_propose_to_begin(aur: Aur) -> None:
    assert aur("runs", "list").stdout.startswith("no run: ")
    assert aur("runs", "list", "--limit", "5").stdout.startswith("no run: ")
    assert aur("runs", "list", "--workflow", "nope").stdout == "no run fits: `aur runs list` shows all\n"


def test_a_definition_without_callers_is_said_to_have_none(aur: Aur, project: Path) -> None:
    (project / "tea.py").write_text("class Kettle:\n    pass\n", encoding="utf-8")
    aur("mem", "index")
    assert aur("graph", "callers", "Kettle").stdout == "tea.py::Kettle: nothing in the project calls it\n"
    said = "tea.py::Kettle: nothing in the project inherits from it or implements it\n"
    assert aur("graph", "implementations", "Kettle").stdout == said


def test_the_preview_of_a_hook_says_that_the_file_does_not_exist(aur: Aur) -> None:
    missing = aur("hook", "file-use", "--file", "nosuch.py")
    assert missing.stdout == 'Nothing is added: there is no file "nosuch.py".\n'
    assert aur("hook", "file-use", "--file", "README.md").stdout == "Nothing is added.\n"
