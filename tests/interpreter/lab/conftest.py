"""A workspace to simulate in, and a function that simulates phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.lab.simulate import Bounds, Simulation, simulate_workflow
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HEAD = "aurora: 1\nname: w\nversion: 1.0.0\nstart: a\nphases:\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path, read_only=True) as opened:
        yield opened


@pytest.fixture
def simulated(workspace: Workspace, tmp_path: Path) -> Callable[..., Simulation]:
    """Simulate the workflow with these phases, as YAML."""

    def run(phases: str, *, every: bool = False, bounds: Bounds | None = None) -> Simulation:
        path = tmp_path / "w.yaml"
        path.write_text(HEAD + phases, encoding="utf-8")
        definition = workspace.workflows.load_file(path)
        return simulate_workflow(definition, workspace.tools, every=every, bounds=bounds)

    return run
