"""Lines that are coloured without rich look as rich would make them: on a terminal, in a pipe, on a narrow screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from aurora.cli.terminal.plain import StyledOutput

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def found(project: Path, aur: Aur) -> Path:
    (project / "tee.py").write_text(f'def brew_tea():\n    return "{"お茶" * 60}"\n', encoding="utf-8")
    aur("mem", "index")
    return project


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
@pytest.mark.usefixtures("found")
def test_hits_are_coloured_where_a_terminal_wants_it(
    terminal: Terminal, env: dict[str, str], *, coloured: bool
) -> None:
    code, shown = terminal("mem", "search", "brew tea", env=env)

    assert code == 0
    assert "tee.py:1" in shown
    assert bool(_CONTROL.search(shown)) is coloured


@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.usefixtures("found")
def test_a_pipe_has_colours_only_when_they_are_forced(aur: Aur, *, forced: bool) -> None:
    done = aur("mem", "search", "brew tea", env={"FORCE_COLOR": "1"} if forced else {})

    assert ("\x1b[" in done.stdout) is forced


@pytest.mark.parametrize("width", [20, 40])
@pytest.mark.usefixtures("found")
def test_a_preview_ends_at_the_edge_of_the_screen(terminal: Terminal, width: int) -> None:
    _, shown = terminal("mem", "search", "-v", "brew tea", env={"COLUMNS": str(width), "TERM": "xterm-256color"})

    previews = [line for line in _CONTROL.sub("", shown).replace("\r", "").splitlines() if line.startswith("    ")]
    assert any("…" in line for line in previews)
    assert max(map(cell_len, previews)) <= width


@given(st.lists(st.text("ab 東茶é\u0301"), max_size=4), st.integers(5, 40))
def test_a_line_that_is_cut_is_as_long_as_the_screen_allows(texts: list[str], width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        ink = StyledOutput()
    whole = "".join(texts)

    ink.add_line(*((text, "") for text in texts), cut=True)

    (shown,) = ink.lines
    assert cell_len(shown) <= width
    if cell_len(whole) <= width:
        assert shown == whole
    else:
        kept = shown.removesuffix("…")
        assert whole.startswith(kept)
        assert cell_len(kept) >= width - 2, "a wide character may leave one column"
