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
    """The phases of all steps in order, those that a call passes too; an answer is a step of its phase."""
    passed = [response["metadata"].get("passed", [f"{response['phase']}: complete"]) for response in responses]
    return [step.split(":")[0] for steps in passed for step in steps]


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
    assert [response["phase"] for response in responses] == ["reproduce", "fix", "fix", "review", "review"]
    assert phases(responses)[:10] == [
        "retrieve", "reproduce", "confirm", "fails", "fix", "verify", "again", "fix", "verify", "passes"
    ]  # fmt: skip
    assert "You named it, and did not change it: shop/payments.py" in responses[2]["prompt_template"]


def test_a_fixed_bug_ends_with_what_was_found(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    output = walk(versioned, recorded("bug_fix_answers")["mended"])[-1]["output"]
    assert output == {
        "status": "fixed",
        "tested": False,
        "test": "tests/test_payments.py",
        "cause": "The wait stands in the branch of every attempt, and the last has no attempt after it.",
        "files": ["shop/payments.py"],
        "elsewhere": [],
        "faults": [],
    }


def test_a_fix_that_the_review_rejects_is_not_called_fixed(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    story["phases"]["review"] = [{"answer": {"faults": ["shop/payments.py:33 a declined card is charged again"]}}]
    ended = walk(versioned, story)[-1]
    assert ended["early_exit"] is True
    assert (ended["output"]["status"], len(ended["output"]["faults"])) == ("not_fixed", 1)


def test_a_suite_that_is_not_allowed_leaves_the_fix_untested(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    story["begin"]["suite"] = ["pytest", "-q"]
    responses = walk(versioned, story)
    assert {"fails: error", "passes: error"} <= {
        step for one in responses for step in one["metadata"].get("passed", [])
    }
    output = responses[-1]["output"]
    assert (output["status"], output["tested"]) == ("fixed", False)


def test_a_fix_that_was_committed_counts_as_a_change(
    versioned: Workspace, walk: Walk, recorded: Recorded, git: Callable[..., str]
) -> None:
    confirmed = git("rev-parse", "HEAD").strip()
    walk(versioned, recorded("bug_fix_answers")["mended"])
    git("add", ".")
    git("commit", "-q", "-m", "Mended")
    evidence = {"changed": ["shop/payments.py"], "base": confirmed}
    assert call_tool(versioned, "evidence.check", evidence)["holds"] is True
    assert call_tool(versioned, "evidence.check", {**evidence, "base": ""})["holds"] is False


def test_an_unreproduced_bug_is_tried_once_more_and_then_reported(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    responses = walk(versioned, recorded("bug_fix_answers")["never_reproduced"])
    assert [response["phase"] for response in responses] == ["reproduce", "reproduce", "confirm"]
    assert phases(responses) == ["retrieve", "reproduce", "confirm", "reproduce", "confirm", "stopped"]
    assert "All 200 charges had a receipt." in responses[1]["prompt_template"]
    assert responses[-1]["output"]["status"] == "not_reproduced"


def test_a_missing_test_confirms_nothing(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = json.loads(json.dumps(recorded("bug_fix_answers")["never_reproduced"]))
    story["phases"]["reproduce"][0]["answer"]["reproduced"] = True
    responses = walk(versioned, story)
    assert "The project has no tests/test_lost.py" in responses[1]["prompt_template"]
    assert "fix" not in phases(responses)
