"""`MCPFunctionalChecks` from Python, with nothing but a project's path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime import Workspace
from aurora.tools.setup import MCPFunctionalChecks
from aurora.tools.trust import read_contents

if TYPE_CHECKING:
    from collections.abc import Callable


def _break_in_two_ways(it: Any) -> None:
    (it.root / ".claude/skills/aurora/SKILL.md").unlink()
    it.write(".cursor/mcp.json", "{")


@pytest.mark.requirement("prd-45", "prd-46")
def test_the_class_separates_fixable_from_manual_issues(healthy: Any) -> None:
    checks = MCPFunctionalChecks(healthy.root)
    found = checks.run_all()
    assert {one.check.partition(".")[0] for one in found} == {"mcp", "memory", "project"}
    assert {one.kind for one in found} <= {"", "check.nothing"}
    assert (checks.get_fixable_issues(), checks.get_manual_issues()) == ((), ())
    _break_in_two_ways(healthy)
    checks.run_all()
    assert [one.check for one in checks.get_fixable_issues()] == ["mcp.references"]
    assert [one.check for one in checks.get_manual_issues()] == ["mcp.config"]
    for one in (*checks.get_fixable_issues(), *checks.get_manual_issues()):
        assert one.remedy is not None
        assert one.remedy.steps


@pytest.mark.requirement("prd-63")
def test_a_project_that_is_set_up_passes_at_least_six_checks(healthy: Any) -> None:
    found = MCPFunctionalChecks(healthy.root).run_all()
    assert {one.status.value for one in found} <= {"pass", "skip"}
    assert {one.check for one in found} >= {
        "mcp.config",
        "mcp.tools",
        "mcp.phases",
        "mcp.database",
        "mcp.references",
        "mcp.server",
    }


@pytest.mark.requirement("prd-40", "prd-47")
def test_the_fixable_issues_are_fixed_and_the_manual_ones_stay(healthy: Any) -> None:
    _break_in_two_ways(healthy)
    checks = MCPFunctionalChecks(str(healthy.root))
    assert [(step.done, step.message.partition(":")[0]) for step in checks.fix_all()] == [
        (True, "created .claude/skills/aurora/SKILL.md")
    ]
    assert checks.get_fixable_issues() == ()
    assert [one.kind for one in checks.get_manual_issues()] == ["mcp.config.broken"]


def test_the_checks_change_no_byte_of_a_project_without_aurora(
    bare: Any, tree: Callable[..., dict[str, bytes]]
) -> None:
    before = tree(bare.root, bare.home)
    issues = MCPFunctionalChecks(bare.root).get_manual_issues()
    assert "mcp.config.none" in {one.kind for one in issues}
    assert tree(bare.root, bare.home) == before
    assert not (bare.root / ".aurora").exists()


def test_a_folder_that_does_not_exist_is_refused(bare: Any) -> None:
    with pytest.raises(Fault, match="is not a folder") as caught:
        MCPFunctionalChecks(bare.root / "nowhere")
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.requirement("prd-39")
def test_a_script_that_knows_a_path_and_nothing_else_can_use_it(healthy: Any) -> None:
    script = (
        "import sys\n"
        "from aurora.tools.setup import MCPFunctionalChecks\n"
        "checks = MCPFunctionalChecks(sys.argv[1])\n"
        "print(len(checks.run_all()), checks.get_fixable_issues(), checks.get_manual_issues())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(healthy.root)], check=True, capture_output=True, text=True, timeout=60
    )
    count, rest = done.stdout.split(" ", 1)
    assert int(count) > 6
    assert rest == "() ()\n"


@pytest.mark.requirement("prd-43", "prd-45")
def test_the_class_sees_a_memory_of_random_bytes_and_a_missing_folder(healthy: Any) -> None:
    (healthy.root / ".aurora/memory.db").write_bytes(os.urandom(8192))
    assert "memory.opens" in {one.check for one in MCPFunctionalChecks(healthy.root).get_manual_issues()}
    shutil.rmtree(healthy.root / ".aurora")
    checks = MCPFunctionalChecks(healthy.root)
    assert "project.folder.missing" in {one.kind for one in checks.get_fixable_issues()}
    checks.fix_all()
    assert (healthy.root / ".aurora/.gitignore").is_file()
    assert "project.folder.missing" not in {one.kind for one in checks.get_fixable_issues()}


def test_a_mistake_in_a_workflow_that_others_extend_is_told_once(healthy: Any) -> None:
    healthy.write(".aurora/workflows/soar.yaml", "extends: soar\nphases: { assess: { uses: nope.tool } }\n")
    with Workspace(healthy.root) as workspace:
        workspace.trust.grant(shown=read_contents(workspace).definitions)
    findings = [one for group in healthy.look("mcp.phases", "workflows")["groups"] for one in group["findings"]]
    assert ["nope.tool" in one["message"] for one in findings].count(True) == 1
    assert {one["status"] for one in findings} == {"fail", "pass"}
