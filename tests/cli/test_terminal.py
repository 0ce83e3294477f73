"""Colours and bars on a terminal, plain text elsewhere, and nothing that a file could do to the screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]


def test_indexing_on_a_terminal_shows_a_bar_and_then_the_summary(terminal: Terminal) -> None:
    code, shown = terminal("mem", "index", env={"TERM": "xterm-256color"})

    assert code == 0
    assert "━" in shown
    assert "4 added" in shown.rpartition("━")[2]


def test_a_pipe_gets_no_colours_and_no_bar(aur: Aur) -> None:
    done = aur("mem", "index")

    assert "\x1b" not in done.stdout + done.stderr
    assert "━" not in done.stdout + done.stderr


def test_what_a_file_holds_cannot_move_the_cursor(aur: Aur, project: Path) -> None:
    (project / "evil.py").write_text('def evil():\n    return "\x1b[2J\x1b]0;owned\x07 [bold]markup[/bold]"\n', "utf-8")
    aur("mem", "index")

    found = aur("mem", "search", "evil")
    read = aur("mem", "get", "--path", "evil.py")

    assert "\x1b" not in found.stdout + read.stdout
    assert "\x07" not in found.stdout + read.stdout
    assert "[bold]markup[/bold]" in read.stdout


def test_a_stream_that_cannot_carry_a_character_does_not_break_the_output(aur: Aur, project: Path) -> None:
    (project / "tee.py").write_text('def tee():\n    return "お茶"\n', encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    exact = aur("mem", "get", "--path", "tee.py", "--json", env=ascii_only)
    shown = aur("mem", "get", "--path", "tee.py", env=ascii_only)

    assert exact.returncode == shown.returncode == 0
    assert "お茶" in json.loads(exact.stdout)["chunks"][0]["text"]
    assert "def tee():" in shown.stdout
