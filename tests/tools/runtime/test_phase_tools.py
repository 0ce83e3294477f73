"""A phase uses only tools that their declarations allow it, whatever the workflow says and however it says it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter import Call, Engine
from aurora.interpreter.lab.player import SingleWorkflowCatalog
from aurora.tools.core.alias_table import ALIASES
from aurora.tools.core.phase_table import JOB_TOOLS, PHASE_TOOLS
from aurora.tools.core.registry import TOOL_MODULES, ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.ports import PhaseToolRunner, SystemClock
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from aurora.interpreter import Definition

TOOLS = ToolRegistry().load_all()
NEVER_IN_A_PHASE = {
    "init.run",
    "init.plan",
    "init.remove",
    "hosts.list",
    "hosts.status",
    "doctor.fix",
    "jobs.run",
    "logs.list",
    "mem.add",
    "mem.backup",
    "mem.consolidate",
    "mem.export",
    "mem.forget",
    "mem.import",
    "mem.index",
    "mem.rebuild",
    "mem.repair",
    "mem.restore",
    "mem.undo",
    "runs.export",
    "tools.adapters",
    "tools.skill",
    "workflow.fix",
    "workflow.new",
    "workflow.step",
    "workflow.test",
}
NEVER_IN_A_JOB = {
    name
    for name in NEVER_IN_A_PHASE
    if name.startswith(("init.", "hosts.", "doctor.", "jobs.", "logs.", "runs.", "tools.", "workflow."))
} | {"mem.forget", "mem.restore", "mem.undo"}

WORKFLOW = """
aurora: 1
name: {name}
version: 1.0.0
start: go
on_error: sorry
phases:
  go:
    aliases: [begin]
    uses: {uses}
    with: {{ surely_unknown: "`true`" }}
    params: {{ surely: unknown }}
    next_action: sorry
  sorry:
    {prompt}
    next_action: end
"""
PROMPT = (
    'prompt_template: "{{ item }}"\n    for_each: { in: "[`1`, `2`]", as: item, max: 2 }\n    answer: { type: string }'
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("project")
    (root / "README.md").write_text("# Tea\n\nIt sells tea.\n", encoding="utf-8")
    with Workspace(root) as opened:
        yield opened


def _make_definition(workspace: Workspace, uses: str, prompt: str) -> Definition:
    """Return a workflow that no check has seen, as an older version of Aurora may have accepted it."""
    text = WORKFLOW.format(name="stale", uses="mem.stats", prompt=prompt).replace("surely_unknown", "x")
    path = workspace.root / "stale.yaml"
    path.write_text(text, encoding="utf-8")
    definition, _ = workspace.workflows.load_with_problems(str(path))
    assert definition is not None
    phases = dict(definition.workflow.phases)
    phases["go"] = phases["go"].model_copy(update={"uses": uses})
    return replace(definition, workflow=definition.workflow.model_copy(update={"phases": phases}))


def _step(workspace: Workspace, definition: Definition, *, runs_job: bool) -> dict[str, Any]:
    tools = PhaseToolRunner(workspace, runs_job=runs_job)
    engine = Engine(SingleWorkflowCatalog(definition), tools, None, SystemClock(), default="stale")
    return engine.step(Call(phase="begin"))


def _list_called(root: Path) -> set[str]:
    log = root / ".aurora" / "logs" / "calls.jsonl"
    return (
        {json.loads(line)["tool"] for line in log.read_text(encoding="utf-8").splitlines()} if log.exists() else set()
    )


def test_the_tools_that_phases_may_use_are_these(snapshot: SnapshotAssertion) -> None:
    assert {tool.name: tool.phase_use for tool in TOOLS} == snapshot


def test_no_tool_that_changes_more_than_the_run_is_for_phases() -> None:
    for_phases = {tool.name for tool in TOOLS if tool.phases}
    assert for_phases == set(PHASE_TOOLS)
    assert for_phases.isdisjoint(NEVER_IN_A_PHASE)
    assert {tool.name for tool in TOOLS if tool.phases and tool.risk != "read"} == {"command.run", "pattern.record"}
    assert {tool.name for tool in TOOLS if tool.jobs} == set(JOB_TOOLS)
    assert set(JOB_TOOLS).isdisjoint(for_phases | NEVER_IN_A_JOB)
    assert set(TOOL_MODULES) >= NEVER_IN_A_PHASE


@pytest.mark.parametrize("name", sorted({*TOOL_MODULES, *ALIASES}))
def test_the_check_and_the_engine_agree_on_every_tool_and_alias(workspace: Workspace, name: str) -> None:
    """The phase has unknown arguments, an alias, settings and an error route, and another has a list of prompts."""
    tool = ALIASES.get(name, name)
    for runs_job, prompt in ((False, PROMPT), (True, "uses: mem.stats")):
        usable = tool in PHASE_TOOLS or (runs_job and tool in JOB_TOOLS)

        text = WORKFLOW.format(name="checked", uses=name, prompt=prompt)
        found = workspace.workflows.check_text(text, workspace.root / "checked.yaml")
        refusals = [(one.line, one.column, one.severity) for one in found if one.code == "E260"]
        assert refusals == ([] if usable else [(10, 11, "error")])
        assert any(one.severity == "error" for one in found)

        before = _list_called(workspace.root)
        response = _step(workspace, _make_definition(workspace, name, prompt), runs_job=runs_job)
        error = response["error"]
        if usable:
            assert error["code"] == "INVALID_INPUT"  # the settings are wrong, so that nothing runs here
            continue
        assert (error["code"], error["details"]["tool"]) == ("FORBIDDEN", tool)
        assert "aur " in error["help"]
        assert _list_called(workspace.root) == before


def test_an_edit_that_forbids_a_running_workflow_leaves_its_last_good_version(workspace: Workspace) -> None:
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    good = (
        "aurora: 1\nname: swap\nversion: 1.0.0\nstart: go\nphases:\n  go:\n    uses: mem.stats\n    next_action: end\n"
    )
    (folder / "swap.yaml").write_text(good, encoding="utf-8")
    assert workspace.engine.step(Call(phase="go", workflow="swap"))["status"] == "complete"
    (folder / "swap.yaml").write_text(good.replace("mem.stats", "init.remove"), encoding="utf-8")

    definition = workspace.workflows.load("swap")

    assert "E260" in definition.fallback_reason
    assert definition.workflow.phases["go"].uses == "mem.stats"
    assert "init.remove" not in _list_called(workspace.root)


def test_a_patch_of_a_shipped_workflow_is_checked_too(workspace: Workspace) -> None:
    patch = "extends: soar\nphases:\n  assess:\n    uses: init.remove\n    with: { with_memory: '`true`' }\n"
    (found,) = workspace.workflows.check_text(patch, workspace.root / "patch.yaml")[:1]
    assert (found.code, found.line, found.column) == ("E260", 4, 11)

    with_prompt = (
        "extends: maintenance\nphases:\n  check:\n    prompt_template: Is it well?\n    answer: { type: boolean }\n"
    )
    found = workspace.workflows.check_text(with_prompt, workspace.root / "patch.yaml")
    assert {one.code for one in found if one.severity == "error"} == {"E260"}
    assert all("so this is not a job" in one.note for one in found if one.code == "E260")


@pytest.mark.parametrize("surface", ["mcp", "phase", "python"])
def test_only_a_terminal_starts_a_job(workspace: Workspace, surface: Any) -> None:
    with pytest.raises(Fault, match="only a person in a terminal starts a job") as raised:
        call_tool(workspace, "jobs.run", {"name": "maintenance"}, surface=surface)
    assert raised.value.code is Code.FORBIDDEN
    assert "aur jobs run maintenance" in raised.value.help


def test_a_host_that_steps_a_job_is_told_who_may_run_it(workspace: Workspace) -> None:
    response = call_tool(workspace, "workflow.step", {"phase": "index", "workflow": "maintenance"}, surface="mcp")
    assert (response["status"], response["error"]["code"]) == ("error", "FORBIDDEN")
    assert "aur jobs run maintenance" in response["error"]["help"]
    assert response["run"] is None


def test_every_command_on_workflows_shows_the_forbidden_tool(workspace: Workspace) -> None:
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "wiping.yaml"
    path.write_text(WORKFLOW.format(name="wiping", uses="init.remove", prompt="uses: mem.stats"), encoding="utf-8")
    try:
        validated = call_tool(workspace, "workflow.validate", {"files": ["wiping"]})
        assert "E260" in json.dumps(validated)
        (listed,) = [one for one in call_tool(workspace, "workflow.list", {})["workflows"] if one["name"] == "wiping"]
        assert listed["problems"] == 1
        with pytest.raises(Fault, match="E260"):
            call_tool(workspace, "workflow.simulate", {"files": ["wiping"]})
        checked = call_tool(workspace, "doctor.run", {"only": ["workflows"]})
        assert "E260" in json.dumps([one for group in checked["groups"] for one in group["findings"]])
        with pytest.raises(Fault, match="E260"):
            call_tool(workspace, "jobs.run", {"name": "wiping"}, surface="cli")
    finally:
        path.unlink()
