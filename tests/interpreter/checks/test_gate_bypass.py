"""The check of gates: a failure that leads past one, and failures that lead where no consent is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.catalog.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GATE = """
aurora: 2
name: gate
version: 1.0.0
start: plan
WORKFLOW
phases:
  plan:
    inputs: { what: { type: string } }
    prompt_template: Plan it.
    answer: {}
    next_action: ask
  ask:
    inputs: { what: { from: phases.plan.inputs.what, type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } } DECLINE }
    PHASE
    next_action: RULES
  act: { prompt_template: Delete it., answer: {}, next_action: stop }
  stop: { prompt_template: Stop., answer: {}, next_action: end }
"""
POSITIVE = "[{ when: answer.sure, then: act }, { then: stop }]"
NEGATIVE = "[{ when: answer.sure == `false`, then: stop }, { then: act }]"
OTHER = """[{ when: "inputs.what == 'a'", then: act }, { then: stop }]"""
AROUND = """
aurora: 2
name: around
version: 1.0.0
start: inner
phases:
  inner:
    inputs: { what: { type: string } }
    workflow: gate
    with: { what: inputs.what }
    on_error: TARGET
    next_action: act
  act: { prompt_template: Delete it., answer: {}, on_error: tell, next_action: end }
  tell: { prompt_template: Say what went wrong., answer: {}, next_action: end }
"""


AFTER = """look:
    inputs: { rounds: { from: phases.act.visits, type: integer } }
    prompt_template: Look {{ rounds }}.
    answer: {}
    next_action: [{ then: count, max: 2, else: stop }]
  count: { uses: mem.stats, on_error: act, next_action: look }"""


def fill(text: str, **given: str) -> str:
    """Write texts in the places of the capital words."""
    for word, value in ({"WORKFLOW": "", "DECLINE": "", "PHASE": "", "RULES": POSITIVE} | given).items():
        text = text.replace(word, value)
    return text


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., list[str]]:
    """The messages about gates in the workflow `gate`, or in one that runs it."""

    def run(*around: str, **given: str) -> list[str]:
        (tmp_path / "gate.yaml").write_text(fill(GATE, **({} if around else given)), encoding="utf-8")
        for text in around:
            (tmp_path / "around.yaml").write_text(fill(text, **given), encoding="utf-8")
        found = Catalog(tmp_path).find_problems("around" if around else "gate")
        assert [one.message for one in found if one.severity == "error"] == []
        return [one.message for one in found if one.code == "W408"]

    return run


@pytest.mark.parametrize("rules", [POSITIVE, NEGATIVE, "act"])
@pytest.mark.parametrize("decline", ["", ", on_decline: stop", ", on_decline: end"])
def test_a_failure_that_leads_to_what_consent_leads_to_is_reported(
    check: Callable[..., list[str]], rules: str, decline: str
) -> None:
    assert len(check(RULES=rules, DECLINE=decline, PHASE="on_error: act")) == 1


@pytest.mark.parametrize("rules", [POSITIVE, NEGATIVE, "act"])
@pytest.mark.parametrize("decline", ["", ", on_decline: stop", ", on_decline: end"])
def test_a_failure_that_leads_elsewhere_is_not_reported(
    check: Callable[..., list[str]], rules: str, decline: str
) -> None:
    assert check(RULES=rules, DECLINE=decline, PHASE="on_error: stop") == []
    assert check(RULES=rules, DECLINE=decline) == []


def test_the_failure_of_a_phase_before_the_gate_counts(check: Callable[..., list[str]]) -> None:
    earlier = {"Plan it.": "Plan it.\n    on_error: act"}
    assert check(**earlier) == ['a failure of "plan" leads to "act", past "ask", without consent']
    assert check(**{"Plan it.": "Plan it.\n    on_error: stop"}) == []


def test_the_failure_of_the_whole_workflow_counts(check: Callable[..., list[str]]) -> None:
    assert check(WORKFLOW="on_error: stop") == []


def test_a_failure_behind_the_gate_may_lead_where_the_consent_led(check: Callable[..., list[str]]) -> None:
    given = {"Delete it., answer: {}, next_action: stop }": "Delete it., answer: {}, next_action: look }\n  " + AFTER}
    assert check(**given) == []


def test_a_decline_that_leads_to_the_same_phase_is_what_the_author_wants(check: Callable[..., list[str]]) -> None:
    assert check(RULES="act", DECLINE=", on_decline: act", PHASE="on_error: act") == []


def test_a_decline_that_leads_where_only_a_consent_leads_is_reported(check: Callable[..., list[str]]) -> None:
    expected = ['a decline leads from "ask" to "act", as a consent does']
    assert check(DECLINE=", on_decline: act") == check(RULES=NEGATIVE, DECLINE=", on_decline: act") == expected
    assert check(DECLINE=", on_decline: stop") == []


def test_rules_that_read_more_than_the_answer_count_as_consent(check: Callable[..., list[str]]) -> None:
    assert check(RULES=OTHER, PHASE="on_error: stop") == []
    assert len(check(RULES=OTHER, PHASE="on_error: act")) == 1


def test_a_workflow_that_asks_the_person_is_a_gate(check: Callable[..., list[str]]) -> None:
    assert check(AROUND, TARGET="act") == [
        'a failure of the workflow that asks the person leads from "inner" to "act", without consent'
    ]
    assert check(AROUND, TARGET="tell") == []
