"""Fields of a result that a response contains."""

from __future__ import annotations

from typing import Any

import pytest

COUNT = """
aurora: 2
name: count
version: 1.0.0
start: look
phases:
  look:
    uses: mem.stats
    returns: [{fields}]
    prompt_template: "There are {{{{ result.files }}}} files."
    answer: {{ type: string }}
    next_action: again
  again:
    inputs: {{ files: {{ from: phases.look.result.files, type: integer }} }}
    prompt_template: "Still {{{{ files }}}}?"
    answer: {{ type: string }}
    next_action: end
"""


def begin(host: Any, fields: str, **arguments: Any) -> dict[str, Any]:
    host.write("count.yaml", COUNT.format(fields=fields))
    response: dict[str, Any] = host("look", workflow="count", **arguments)
    assert response["status"] == "complete", response["error"]
    return response


def test_a_response_contains_the_fields_that_the_phase_returns(host: Any) -> None:
    assert set(begin(host, "files, used")["result"]) == {"files", "used"}


def test_a_phase_can_return_nothing_of_its_result(host: Any) -> None:
    assert begin(host, "")["result"] == {}


def test_prompts_and_later_phases_have_the_whole_result(host: Any) -> None:
    first = begin(host, "")
    assert first["prompt_template"] == "There are 0 files."
    assert host.next(first, answer="yes")["prompt_template"] == "Still 0?"


def test_the_journal_has_the_whole_result(host: Any) -> None:
    first = begin(host, "files")
    step = host.workspace.memory.journal.steps(first["run"])[0]
    assert "chunks" in step.document["result"]


def test_a_detailed_call_has_the_whole_result_and_the_decision(host: Any) -> None:
    brief, full = begin(host, "files"), begin(host, "files", detail="full")
    assert {"chunks", "files"} <= set(full["result"])
    assert set(full["metadata"]) - set(brief["metadata"]) == {"decision", "request_id"}


@pytest.mark.parametrize("detail", ["all", "", 1, None])
def test_another_detail_is_refused(host: Any, detail: Any) -> None:
    host.write("count.yaml", COUNT.format(fields=""))
    refused = host("look", workflow="count", detail=detail)
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert '$.detail must be "brief" or "full"' in refused["error"]["message"]
