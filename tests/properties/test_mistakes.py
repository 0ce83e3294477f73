"""One mistake in a right workflow is told on its own line, in its own word, and nothing is told elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mistakes import MISTAKES, Mistake, make, missed

from aurora.interpreter.problems.render import SourceLines, render_problems
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def workspace(project: Path) -> Iterator[Workspace]:
    with Workspace(project) as opened:
        yield opened


@pytest.mark.parametrize("mistake", [pytest.param(one, id=one.name) for one in MISTAKES])
def test_a_mistake_is_told_on_its_line_and_only_there(workspace: Workspace, project: Path, mistake: Mistake) -> None:
    for seed in (0, 1_000):
        mistaken = make(mistake, seed)
        found = workspace.workflows.check_text(mistaken.text, project / "w.yaml")
        assert missed(mistake, mistaken, found) == "", mistaken.text


@settings(max_examples=15)
@given(st.sampled_from(MISTAKES), st.integers(0, 100_000))
def test_whatever_is_told_can_be_shown(workspace: Workspace, project: Path, mistake: Mistake, seed: int) -> None:
    mistaken, path = make(mistake, seed), project / "w.yaml"
    told = render_problems(workspace.workflows.check_text(mistaken.text, path), SourceLines({str(path): mistaken.text}))
    assert f"{path}:" in told


def test_no_two_mistakes_share_a_name() -> None:
    assert len({one.name for one in MISTAKES}) == len(MISTAKES) >= 70
