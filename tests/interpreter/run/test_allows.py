"""What a phase allows, in the response, in `workflow show` and across an edit."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.tools.runtime.dispatch import call_tool

FIX = """
aurora: 2
name: fix
version: 1.0.0
start: test
phases:
  test:
    allows: {allows}
    prompt_template: Show the bug.
    answer: {{ type: string }}
    next_action: fix
  fix:
    inputs: {{ shown: {{ from: phases.test.answer }} }}
    prompt_template: "Fix it: {{{{ shown }}}}"
    answer: {{ type: string }}
    next_action: end
"""


@pytest.mark.parametrize(
    ("written", "told", "shown"),
    [
        ("[read]", ["read"], ["read"]),
        ("read", ["read"], ["read"]),
        ("[read, edit: tests/**]", ["read", {"edit": ["tests/**"]}], ["read", "edit tests/**"]),
        ('[edit, run: ["pytest *", make]]', ["edit", {"run": ["pytest *", "make"]}], ["edit", "run pytest *, make"]),
    ],
)
def test_the_response_that_waits_at_a_phase_says_what_it_allows(
    host: Any, written: str, told: list[Any], shown: list[str]
) -> None:
    host.write("fix.yaml", FIX.format(allows=written))
    begun = host("test", workflow="fix")
    assert begun["allows"] == told
    assert "allows" not in host.next(begun, answer="It fails.")
    phases = call_tool(host.workspace, "workflow.show", {"name": "fix"})["phases"]
    assert [phase.get("allows") for phase in phases] == [shown, None]


def test_a_run_goes_on_after_an_edit_of_what_a_finished_phase_allows(host: Any) -> None:
    host.write("fix.yaml", FIX.format(allows="[read]"))
    begun = host("test", workflow="fix")
    fixing = host.next(begun, answer="It fails.")
    host.write("fix.yaml", FIX.format(allows="[read, run]"))
    assert host.next(fixing, answer="Done.")["next_action"] == "end"


@pytest.mark.parametrize("patterns", ["[" + ", ".join(["a"] * 21) + "]", '""', "x" * 201, "3", "{ a: b }"])
def test_patterns_have_bounds(host: Any, patterns: str) -> None:
    host.write("fix.yaml", FIX.format(allows=f"[edit: {patterns}]"))
    assert "must be a list of read, edit and run" in host("test", workflow="fix")["error"]["message"]


def test_the_shipped_workflows_allow_no_fix_before_the_failure_and_no_code_before_the_plan(host: Any) -> None:
    allowed = {
        (name, phase): spec.allows
        for name in ("bug-fix", "feature", "code-review", "design")
        for phase, spec in host.workspace.workflows.load(name).workflow.phases.items()
        if spec.allows is not None
    }
    assert "tests/" in allowed["bug-fix", "reproduce"]["edit"]
    assert all("edit" not in kinds for place, kinds in allowed.items() if place != ("bug-fix", "reproduce"))
    assert {"plan", "approve", "review"} <= {phase for name, phase in allowed if name == "feature"}
