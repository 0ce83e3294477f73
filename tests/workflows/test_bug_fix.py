"""Bug fix in a small real project: fix only a reproduced bug, accept only a real change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]


def phases(responses: list[dict[str, Any]]) -> list[str]:
    return [response["phase"] for response in responses]


def test_each_response_of_a_fixed_bug_is_as_recorded(
    versioned: Workspace, walk: Walk, recorded: Recorded, scrubbed: Callable[..., Any], snapshot: Any
) -> None:
    for number, response in enumerate(walk(versioned, recorded("bug_fix_answers")["mended"]), 1):
        assert response["status"] == "complete", response.get("error")
        assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")


def test_a_fix_without_a_change_is_returned_with_the_file_s_name(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    responses = walk(versioned, recorded("bug_fix_answers")["mended"])
    assert phases(responses) == [
        "investigate", "reproduce", "confirm", "fix", "verify", "fix", "verify", "report", "report"
    ]  # fmt: skip
    first, second = (response["result"] for response in responses if response["phase"] == "verify")
    assert (first["holds"], first["unchanged"]) == (False, ["shop/payments.py"])
    assert (second["holds"], second["unchanged"]) == (True, [])
    assert "shop/payments.py" in responses[5]["prompt_template"].partition("Your last fix failed the verification")[2]


def test_a_fix_that_was_committed_counts_as_a_change(
    versioned: Workspace, walk: Walk, recorded: Recorded, git: Callable[..., str]
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    responses = walk(versioned, story)
    confirmed = responses[2]["result"]["head"]
    git("add", ".")
    git("commit", "-q", "-m", "Mended")
    evidence = {"changed": ["shop/payments.py"], "base": confirmed}
    assert call_tool(versioned, "evidence.check", evidence)["holds"] is True
    assert call_tool(versioned, "evidence.check", {**evidence, "base": ""})["holds"] is False


def test_an_unreproduced_bug_is_investigated_once_more_and_then_reported(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    responses = walk(versioned, recorded("bug_fix_answers")["never_reproduced"])
    assert phases(responses) == [
        "investigate",
        "reproduce",
        "confirm",
        "investigate",
        "reproduce",
        "confirm",
        "report",
        "report",
    ]
    assert "All 200 charges had a receipt." in responses[3]["prompt_template"]
    assert "Reproduced: no" in responses[-2]["prompt_template"]


def test_a_missing_test_confirms_nothing(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = json.loads(json.dumps(recorded("bug_fix_answers")["never_reproduced"]))
    story["phases"]["reproduce"][0]["answer"]["reproduced"] = True
    responses = walk(versioned, story)
    assert responses[2]["result"]["missing"] == ["tests/test_lost.py"]
    assert "fix" not in phases(responses)
