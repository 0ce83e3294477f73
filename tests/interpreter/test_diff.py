"""A comparison of two versions names the changes of every key."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.interpreter.lab.diff import compare_definitions
from aurora.interpreter.lab.differences import normalise_condition

PLAN = """
aurora: 2
name: plan
version: 1.0.0
start: ask
vars: { large: 3 }
output: { text: { from: phases.ask.answer } }
phases:
  ask:
    when: "vars.large > `2`"
    hints: { context: fresh }
    prompt_template: Plan it.
    answer: { type: string }
    next_action: check
  check:
    person: { message: "Good?" }
    next_action: end
"""


@pytest.mark.parametrize(
    ("before", "after", "about"),
    [
        ("large: 3", "large: 4", "constants"),
        ("from: phases.ask.answer }", "from: phases.ask.status }", "output"),
        ("`2`", "`1`", "condition"),
        ("Good?", "Fine?", "person"),
        ("context: fresh", "context: shared", "hints"),
        ("start: ask", "start: ask\npace: prompt", "pace"),
        ("start: ask", "start: ask\nbudget: { tokens: 500 }", "budget"),
    ],
)
def test_a_change_of_a_newer_key_is_named_with_its_place(host: Any, before: str, after: str, about: str) -> None:
    host.write("plan.yaml", PLAN)
    old = host.workspace.workflows.load("plan")
    host.write("plan.yaml", PLAN.replace(before, after))
    new = host.workspace.workflows.load("plan")
    assert not compare_definitions(old, old).changes
    (change,) = compare_definitions(old, new).changes
    assert change.about == about
    assert "plan.yaml:" in change.is_at


def test_conditions_with_slices_are_compared() -> None:
    assert normalise_condition("a[1:] == b") == normalise_condition("b == a[1:]")
    assert normalise_condition("a[1:] == b") != normalise_condition("a[2:] == b")
