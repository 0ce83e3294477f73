"""Cases of the shipped workflows: each passes, and together they take every rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED = Path(__file__).resolve().parents[2] / "workflows"
CASES = sorted(path.stem for path in (SHIPPED / "tests").glob("*.yaml"))
PATCHES = {"soar-fast"}
"""Workflows whose rules are those of the workflow that they extend, and are covered there."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Open an empty project of a user without agents."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with Workspace(tmp_path / "project") as opened:
        yield opened


@pytest.mark.parametrize("workflow", [name for name in CASES if name not in PATCHES])
def test_every_case_passes_and_every_rule_is_taken(workspace: Workspace, workflow: str) -> None:
    output: dict[str, Any] = call_tool(workspace, "workflow.test", {"files": [workflow], "coverage": True})
    assert [case for case in output["cases"] if case["status"] != "passed"] == []
    coverage = output["coverage"][0]["coverage"]
    assert coverage["untaken_phases"] == []
    for kind in ("rules_true", "rules_false", "bounds"):
        assert coverage[kind]["taken"] == coverage[kind]["of"], coverage["rules"]


def test_every_shipped_workflow_has_cases() -> None:
    assert sorted(path.stem for path in SHIPPED.glob("*.yaml")) == CASES


@pytest.mark.requirement("prd-51")
@pytest.mark.parametrize(
    "workflow", [name for name in CASES if name not in {"check", "code-review", "maintenance", *PATCHES}]
)
def test_every_tool_with_an_error_route_fails_in_a_case(workspace: Workspace, workflow: str) -> None:
    output: dict[str, Any] = call_tool(workspace, "workflow.test", {"files": [workflow], "coverage": True})
    routes = output["coverage"][0]["coverage"]["error_routes"]
    assert routes["taken"] == routes["of"] > 0


@pytest.mark.parametrize("workflow", sorted(PATCHES))
def test_every_case_of_a_patch_passes(workspace: Workspace, workflow: str) -> None:
    output = call_tool(workspace, "workflow.test", {"files": [workflow]})
    assert [case["status"] for case in output["cases"]] == ["passed"] * len(output["cases"]) != []


def test_soar_fast_goes_through_the_phases_of_soar_in_one_call_for_each_prompt(workspace: Workspace) -> None:
    (workspace.root / "clock.py").write_text("def tick(clock):\n    return clock.time\n", encoding="utf-8")
    workspace.memory.index(workspace.root)
    query = {"query": "How does tick in clock.py read the time?"}
    first = step_workflow(workspace, {"phase": "assess", "workflow": "soar-fast", **query})
    assert first["phase"] == "decompose"
    assert first["metadata"]["passed"] == ["assess: complete", "retrieve: complete", "decompose: complete"]
    slow = step_workflow(workspace, {"phase": "assess", "workflow": "soar", **query})
    assert (slow["phase"], slow["next_action"]) == ("assess", "retrieve")


def test_soar_has_a_case_for_each_route(workspace: Workspace) -> None:
    output = call_tool(workspace, "workflow.test", {"files": ["soar"]})
    ways = {tuple(map(str, case["path"])) for case in output["cases"]}
    assert len(ways) >= 6
    assert all(case["path"] for case in output["cases"])
