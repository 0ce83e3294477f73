"""A workflow with a command: checked for this machine, simulated without it, run, routed and journalled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime import Workspace, call_tool

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Allow

WORKFLOW = """\
aurora: 1
name: tested
version: 1.0.0
start: test
phases:
  test:
    inputs: { word: { type: string, default: made } }
    uses: command.run
    with: { program: "'touch'", arguments: "[word]" }
    next_action:
      - { when: "exit_code == `0`", then: tell }
      - { then: refused }
    on_error: refused
  tell:
    inputs: { code: { from: phases.test.result.exit_code, type: integer } }
    uses: mem.stats
    with: {}
    next_action: end
  refused:
    inputs: { why: { from: phases.test.error.code, default: none } }
    uses: mem.stats
    with: {}
    next_action: end
"""


@pytest.fixture
def workflow(opened: Workspace) -> Path:
    """The workflow in the project."""
    file = opened.root / ".aurora" / "workflows" / "tested.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(WORKFLOW, encoding="utf-8")
    return file


def _find_codes(workspace: Workspace) -> list[str]:
    return [one.code for one in workspace.workflows.find_problems("tested") if one.code == "W264"]


def _step(workspace: Workspace, **arguments: Any) -> dict[str, Any]:
    return call_tool(workspace, "workflow.step", {"phase": "test", "workflow": "tested", **arguments})


def test_the_check_warns_of_a_program_until_it_is_allowed(opened: Workspace, workflow: Path, allow: Allow) -> None:
    workflow.write_text(WORKFLOW.replace("    on_error: refused\n", ""), encoding="utf-8")
    assert _find_codes(opened) == ["W264"]
    allow(program="touch", further=["*"])
    assert _find_codes(opened) == []


@pytest.mark.usefixtures("workflow")
@pytest.mark.parametrize("route", ["phase", "workflow", "none"])
def test_a_route_for_the_failure_does_not_hide_the_warning(opened: Workspace, workflow: Path, route: str) -> None:
    if route == "workflow":
        text = WORKFLOW.replace("    on_error: refused\n", "").replace("start: test", "on_error: refused\nstart: test")
        workflow.write_text(text, encoding="utf-8")
    elif route == "none":
        workflow.write_text(WORKFLOW.replace("    on_error: refused\n", ""), encoding="utf-8")

    (found,) = [one for one in opened.workflows.find_problems("tested") if one.code == "W264"]

    assert found.note == ("the phase fails" if route == "none" else 'each run follows `on_error` to "refused"')


def test_a_warning_that_is_ignored_is_not_missed_where_the_program_is_allowed(
    opened: Workspace, workflow: Path, allow: Allow
) -> None:
    ignored = WORKFLOW.replace('"[word]" }', '"[word]" } # aur: ignore W264 -- allowed on the machines that build')
    workflow.write_text(ignored, encoding="utf-8")
    for _ in range(2):
        found = {one.code for one in opened.workflows.find_problems("tested")}
        assert not found & {"W264", "W901", "W902"}
        allow(program="touch", further=["*"])


def test_a_program_that_an_expression_computes_is_checked_when_it_runs(opened: Workspace, workflow: Path) -> None:
    workflow.write_text(WORKFLOW.replace("\"'touch'\"", "word"), encoding="utf-8")

    assert _find_codes(opened) == []


@pytest.mark.usefixtures("workflow")
def test_a_simulation_runs_no_program(opened: Workspace, allow: Allow) -> None:
    allow(program="touch", further=["*"])

    simulated = call_tool(opened, "workflow.simulate", {"files": ["tested"]})

    assert json.dumps(simulated)
    assert [path.name for path in opened.root.iterdir()] == [".aurora"]


@pytest.mark.usefixtures("workflow")
def test_the_result_decides_and_is_in_the_journal(opened: Workspace, allow: Allow) -> None:
    allow(program="touch", further=["*"])

    response = _step(opened)

    assert (response["status"], response["result"]["exit_code"], response["next_action"]) == ("complete", 0, "tell")
    assert (opened.root / "made").exists()
    (step,) = call_tool(opened, "runs.show", {"run": response["run"], "step": 1})["steps"]
    assert step["result"] == response["result"]


@pytest.mark.usefixtures("workflow")
def test_a_refused_command_follows_on_error(opened: Workspace, allow: Allow) -> None:
    allow(program="touch", further=["*.txt"])

    response = _step(opened, word="-r")

    assert (response["status"], response["error"]["code"], response["next_action"]) == ("error", "FORBIDDEN", "refused")
    assert response["error"]["details"]["lines"][-1] == 'arguments = ["-r"]'
