"""In a narrow terminal whole columns give way, told by their titles; no name is cut, and a pipe gets everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from aurora.hosts import HOSTS
from aurora.tools.runtime.dispatch import get_registry

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]

TOOLS = list(get_registry().names())


def lines(shown: str) -> list[str]:
    """What stands on the screen, without its colours."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "").splitlines()


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize(
    ("words", "names"), [("tools list", TOOLS), ("hosts list", [host.name for host in HOSTS]), ("hosts status", [])]
)
def test_names_are_complete_and_no_line_exceeds_the_width(
    terminal: Terminal, words: str, names: list[str], width: int
) -> None:
    code, shown = terminal(*words.split(), env={"COLUMNS": str(width), "TERM": "xterm-256color"})

    assert code == 0
    assert not [line for line in lines(shown) if len(line) > width]
    begun = [line.split(" ", 1)[0] for line in lines(shown)]
    assert [name for name in begun if name in names] == names


@pytest.mark.parametrize("columns", ["0", "-5", "wide", ""])
def test_an_invalid_width_counts_as_not_set(terminal: Terminal, aur: Aur, columns: str) -> None:
    code, shown = terminal("mem", "stats", env={"COLUMNS": columns, "TERM": "xterm-256color"})
    piped = aur("mem", "stats", env={"COLUMNS": columns})

    assert (code, piped.returncode) == (0, 0)
    assert any(line.startswith("project") for line in lines(shown))
    assert any(line.startswith("project") for line in lines(piped.stdout))


def test_dropped_columns_are_named(terminal: Terminal) -> None:
    _, narrow = terminal("hosts", "list", env={"COLUMNS": "40"})
    _, wide = terminal("hosts", "list", env={"COLUMNS": "200"})

    assert "hidden at this width: project file, title, user file" in " ".join(lines(narrow))
    assert "hidden at" not in wide


@pytest.mark.requirement("triads-54")
def test_a_pipe_gets_a_tool_a_line_with_all_its_names(aur: Aur) -> None:
    listed = aur("tools", "list").stdout.splitlines()

    assert len(listed) == 1 + len(TOOLS)
    found = next(line for line in listed if line.startswith("graph.implementations"))
    assert "aur graph implementations" in found
    assert "aurora_graph_implementations" in found


def test_a_column_that_is_empty_takes_no_room_from_its_neighbour(aur: Aur) -> None:
    shown = aur("hosts", "status", "--hosts", "cursor,zed").stdout.splitlines()

    assert [line.split() for line in shown[:2]] == [
        ["Cursor", "absent", ".cursor/mcp.json"],
        ["Zed", "absent", ".zed/settings.json"],
    ]


def test_an_option_with_many_choices_keeps_its_help_within_the_screen(aur: Aur) -> None:
    shown = aur("logs", "--help", env={"COLUMNS": "80"}).stdout.splitlines()

    assert [line for line in shown if len(line) > 80] == []
    assert any(line.startswith("  --status STATUS ") for line in shown)
    refused = aur("logs", "--status", "bad")
    assert "'ok', 'error', 'INVALID_INPUT', " in refused.stderr, "the choices are told where they are needed"
