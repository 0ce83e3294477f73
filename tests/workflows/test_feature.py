"""Feature delivery in a small real project: the gate finds unfinished work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.files import open_worktree
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]


@pytest.fixture
def story(recorded: Recorded) -> dict[str, Any]:
    found: dict[str, Any] = recorded("feature_answers")["expiry"]
    return found


def test_each_response_of_a_delivery_is_as_recorded(
    versioned: Workspace, walk: Walk, story: dict[str, Any], scrubbed: Callable[..., Any], snapshot: Any
) -> None:
    responses = walk(versioned, story)
    assert [response["phase"] for response in responses] == ["plan", "build", "build", "review", "release", "release"]
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")


def test_the_next_round_of_building_gets_the_findings_of_the_gate(
    versioned: Workspace, walk: Walk, story: dict[str, Any]
) -> None:
    prompt = walk(versioned, story)[2]["prompt_template"]
    for named in ("shop/expiry.py:2", "write tests for the others: shop/expiry.py", "Does a visit renew a session?"):
        assert named in prompt


def test_work_that_is_never_ready_is_reported_after_the_last_round(
    versioned: Workspace, walk: Walk, story: dict[str, Any]
) -> None:
    story["phases"]["build"] = story["phases"]["build"][:1]
    responses = walk(versioned, story)
    assert [response["phase"] for response in responses] == ["plan", *["build"] * 4, "ready"]
    output = responses[-1]["output"]
    assert (output["ready"], output["tested"], len(output["blockers"])) == (False, False, 3)
    assert output["checked"] == "Aurora ran no test and saw none pass: that is the word of the assistant."


def test_a_gate_that_fails_is_told_as_what_blocks_the_release(
    versioned: Workspace, story: dict[str, Any], git: Callable[..., str]
) -> None:
    begun = step_workflow(versioned, story["begin"])
    built = step_workflow(
        versioned, {**begun["next_call"]["arguments"], "answer": story["phases"]["plan"][0]["answer"]}
    )
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-q", "-m", "The past is gone")
    git("reflog", "expire", "--expire=now", "--all")
    git("branch", "-q", "-D", "main")
    git("gc", "-q", "--prune=now")
    answer = story["phases"]["build"][0]["answer"]
    output = step_workflow(versioned, {**built["next_call"]["arguments"], "answer": answer})["output"]
    assert (output["ready"], ["git has no revision" in one for one in output["blockers"]]) == (False, [True])


def test_committed_work_is_checked_too(
    versioned: Workspace, walk: Walk, story: dict[str, Any], git: Callable[..., str]
) -> None:
    head = git("rev-parse", "HEAD").strip()
    responses = walk(versioned, story)
    assert f"git diff {head}" in responses[3]["prompt_template"]
    git("add", ".")
    git("commit", "-q", "-m", "Sessions expire")
    tree = open_worktree(versioned.root)
    assert tree is not None
    assert [one.path for one in tree.list_changes(tree.resolve_base(head))] == [
        "shop/expiry.py",
        "tests/test_expiry.py",
    ]


def test_a_failing_check_blocks_the_release(versioned: Workspace, walk: Walk, story: dict[str, Any]) -> None:
    story["phases"]["build"][1]["answer"]["failing"] = ["pytest tests/test_expiry.py"]
    ended = walk(versioned, story)[-1]
    assert ended["output"]["ready"] is False
    assert "pytest tests/test_expiry.py" in ended["output"]["blockers"][0]


def test_only_the_person_passes_the_gate_before_building(versioned: Workspace, story: dict[str, Any]) -> None:
    begun = step_workflow(versioned, {**story["begin"], "approve": True})
    plan = story["phases"]["plan"][0]["answer"]
    waiting = step_workflow(versioned, {**begun["next_call"]["arguments"], "answer": plan})
    assert (waiting["phase"], waiting["status"]) == ("approve", "waiting")
    assert "Done when: customer_of gives None after 30 minutes" in waiting["person"]["message"]
    again = step_workflow(versioned, {**waiting["next_call"]["arguments"], "answer": {"remarks": ""}})
    assert again["status"] == "waiting" or again["error"]["code"] == "FORBIDDEN", again
