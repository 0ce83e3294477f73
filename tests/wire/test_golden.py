"""Golden request and response of each tool: one recorded file for each, of all its examples, in a small project."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aurora
from aurora import __version__
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from tests.wire.prepared_project import (
    allow_program,
    comparable,
    list_in_playing_order,
    prepare_project,
    run_before,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TOOLS = ToolRegistry().load_all()
SHOP = Path(__file__).resolve().parents[1] / "workflows" / "project"
PACKAGE = Path(aurora.__file__).resolve().parent
GOLDEN = Path(__file__).resolve().parents[2] / "snapshots" / "wire" / "test_golden"
# The machine decides their values, or other tests compare all of their bytes: only their shape is recorded.
SHAPE_ONLY = {
    "doctor.fix",
    "doctor.run",
    "runs.export",
    "tools.adapters",
    "tools.manifest",
    "tools.reference",
    "version.show",
    "workflow.schema",
}
LONGEST_TEXT = 300
MOST_ITEMS = 12
MOST_SHAPES = 2
DEEPEST_SHAPE = 5
MOST_BYTES = 300_000
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
"""Hash of a workflow with the schemas of its tools, which changes with each of them."""


def shape(value: Any, depth: int = DEEPEST_SHAPE) -> Any:
    """The names and types of a value; of a list, each different one, and only some."""
    if isinstance(value, dict) and depth:
        return {name: shape(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list) and depth:
        shapes: list[Any] = []
        for one in value:
            if (found := shape(one, depth - 1)) not in shapes:
                shapes.append(found)
        return shapes[:MOST_SHAPES]
    return type(value).__name__


def shorten(value: Any) -> Any:
    """The value with its longest texts and lists cut; what is cut is counted."""
    if isinstance(value, dict):
        return {name: shorten(inner) for name, inner in value.items()}
    if isinstance(value, list):
        left = len(value) - MOST_ITEMS
        return [*map(shorten, value[:MOST_ITEMS]), *([f"… [+{left} items]"] if left > 0 else [])]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… [+{len(value) - LONGEST_TEXT} characters]"
    return value


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aur_program: str) -> Any:
    """A small project of fixed files, in which the examples find what they are about, and its first run."""
    allow_program(tmp_path, monkeypatch, aur_program)
    monkeypatch.setenv("PATH", f"{Path(aur_program).parent}:/usr/bin:/bin")  # no assistant that is installed elsewhere
    root = tmp_path / "shop"
    shutil.copytree(SHOP, root)
    run = prepare_project(root)
    with Workspace(root) as workspace:
        yield workspace, run


@pytest.mark.requirement("auditgraph-14", "auditgraph-25", "auditgraph-28")
def test_each_tool_answers_its_examples_as_recorded(
    shop: tuple[Workspace, str], tmp_path: Path, snapshot: Callable[..., Any]
) -> None:
    workspace, run = shop
    for tool in list_in_playing_order(TOOLS):
        recorded = []
        for example in tool.examples:
            run_before(tool, workspace)
            request = dict(example.arguments)
            given = {**request, "run": run} if "run" in request else request
            origin: Any = "cli" if tool.name == "jobs.run" else "python"  # only a terminal starts a job
            told = call_tool(workspace, tool.name, given, params=example.params, surface=origin)
            response = shape(told) if tool.name in SHAPE_ONLY else mask(comparable(told, workspace.root), tmp_path, run)
            recorded.append({"request": request, "response": response})
        assert recorded == snapshot(name=tool.name)


def mask(value: Any, folder: Path, run: str) -> Any:
    """The value without what differs from machine to machine: the folders, the run, the version."""
    if isinstance(value, dict):
        return {mask(name, folder, run): mask(inner, folder, run) for name, inner in value.items()}
    if isinstance(value, list):
        return shorten([mask(inner, folder, run) for inner in value])
    if isinstance(value, str):
        text = value.replace(str(folder), "FOLDER").replace(str(PACKAGE), "PACKAGE").replace(run, "RUN")
        text = DIGEST.sub("DIGEST", text)
        return shorten(re.sub(re.escape(__version__), "VERSION", text))
    return value


def test_the_recorded_responses_are_those_of_the_tools_and_stay_small() -> None:
    names = {path.stem.partition("[")[2].rstrip("]") for path in GOLDEN.glob("*.json")}
    assert names == {tool.name for tool in TOOLS}
    assert sum(path.stat().st_size for path in GOLDEN.glob("*.json")) < MOST_BYTES
