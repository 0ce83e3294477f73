"""Design in a small real project: three phases that depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]


def test_each_response_of_a_clear_decision_is_as_recorded(
    versioned: Workspace, walk: Walk, recorded: Recorded, scrubbed: Callable[..., Any], snapshot: Any
) -> None:
    responses = walk(versioned, recorded("design_answers")["expiry"])
    assert [response["phase"] for response in responses] == ["frame", "explore", "score", "decide", "decide"]
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")
    assert responses[-2]["result"]["best"] == "clock"
    assert responses[-2]["result"]["verdict"] == "CLEAR"


def test_a_close_decision_shows_both_options_and_missing_scores(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    *_, last, ended = walk(versioned, recorded("design_answers")["close"])
    assert last["result"]["verdict"] == "CLOSE"
    assert last["result"]["faults"] == ['"nothing" has no score for "restarts"']
    assert "Show the person both" not in last["guidance"]  # its answer is still to come
    assert "Show the person both" in ended["guidance"]


@pytest.mark.parametrize("phase", ["explore", "score", "decide"])
def test_a_call_in_the_middle_without_a_run_leads_to_the_beginning(versioned: Workspace, phase: str) -> None:
    response = step_workflow(versioned, {"workflow": "design", "phase": phase, "query": "How shall sessions expire?"})
    assert response["status"] == "error"
    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["run"] is None
    assert response["next_action"] == "retrieve"
    begun = step_workflow(versioned, response["next_call"]["arguments"])
    assert (begun["phase"], begun["status"]) == ("frame", "complete")


def test_an_incomplete_frame_is_rejected_with_its_missing_fields(versioned: Workspace) -> None:
    stub = {"problem": "Sessions never expire."}
    response = step_workflow(versioned, {"workflow": "design", "phase": "explore", "query": "How?", "frame": stub})
    assert response["error"]["code"] == "INVALID_INPUT"
    output = {fault["path"] for fault in response["error"]["details"]["faults"]}
    assert {"$.frame.criteria", "$.frame.constraints"} <= output


@pytest.mark.requirement("triads-19")
def test_no_phase_of_a_run_can_be_skipped(versioned: Workspace) -> None:
    begun = step_workflow(versioned, {"workflow": "design", "phase": "retrieve", "query": "How shall sessions expire?"})
    early = step_workflow(versioned, {"phase": "decide", "run": begun["run"]})
    assert early["error"]["code"] == "CONFLICT"
    assert 'the next phase is "explore"' in early["error"]["message"]
