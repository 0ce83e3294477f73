"""Code review in a small real project: each file once, only confirmed findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]

BATCH = 6


@pytest.fixture
def changed(versioned: Workspace) -> Workspace:
    """Open the project with an uncommitted change, a new file and a generated one."""
    root = versioned.root
    sessions = root / "shop" / "sessions.py"
    sessions.write_text(sessions.read_text(encoding="utf-8").replace("return self._sessions.get(token)", "return None"))
    (root / "shop" / "clock.py").write_text("import time\n\n\ndef now():\n    return time.time()\n", encoding="utf-8")
    (root / "poetry.lock").write_text("[[package]]\n", encoding="utf-8")
    return versioned


def test_each_response_of_a_review_is_as_recorded(
    changed: Workspace, walk: Walk, recorded: Recorded, scrubbed: Callable[..., Any], snapshot: Any
) -> None:
    responses = walk(changed, recorded("code_review_answers")["branch"])
    assert [response["phase"] for response in responses] == [
        "scope",
        "review",
        "review",
        "challenge",
        "report",
        "report",
    ]
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")


def test_changed_and_new_files_are_reviewed_and_generated_ones_are_not(changed: Workspace) -> None:
    scope = step_workflow(changed, {"workflow": "code-review", "phase": "scope"})["result"]
    assert [(one["path"], one["status"]) for one in scope["files"]] == [
        ("shop/clock.py", "added"),
        ("shop/sessions.py", "changed"),
    ]
    assert (scope["total"], scope["skipped"]) == (3, 1)


def test_a_clean_project_has_nothing_to_review_and_says_so(versioned: Workspace) -> None:
    scope = step_workflow(versioned, {"workflow": "code-review", "phase": "scope"})
    assert scope["next_call"] is None
    assert scope["result"]["note"] == "Nothing differs from the last commit."


def test_a_branch_is_compared_with_its_merge_base(versioned: Workspace, git: Callable[..., str]) -> None:
    git("checkout", "-q", "-b", "work")
    (versioned.root / "shop" / "clock.py").write_text("import time\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "A clock")
    git("checkout", "-q", "main")
    (versioned.root / "README.md").write_text("# Another shop\n", encoding="utf-8")
    git("commit", "-q", "-a", "-m", "Another title")
    git("checkout", "-q", "work")
    scope = step_workflow(versioned, {"workflow": "code-review", "phase": "scope", "base": "main"})["result"]
    assert [one["path"] for one in scope["files"]] == ["shop/clock.py"]


def test_many_files_are_requested_in_batches_until_each_is_reviewed_once(versioned: Workspace) -> None:
    names = [f"shop/part_{number:02}.py" for number in range(2 * BATCH + 1)]
    for name in names:
        (versioned.root / name).write_text("x = 1\n", encoding="utf-8")
    response = step_workflow(versioned, {"workflow": "code-review", "phase": "scope"})
    asked: list[int] = []
    report = ""
    while response["next_call"]:
        brought = {}
        if response["phase"] == "review" and "prompt_template" in response:
            asked.append(len(response["prompt_template"]))
            found = {"findings": [{"severity": "minor", "title": "x says nothing"}]}
            brought = {"answer": [found] * asked[-1]}
        elif "prompt_template" in response:
            report, brought = response["prompt_template"], {"answer": "Reported."}
        response = step_workflow(versioned, {**response["next_call"]["arguments"], **brought})
    assert asked == [BATCH, BATCH, 1]
    assert f"Reviewed: {len(names)} files." in report
    assert report.count("x says nothing") == len(names)


def test_without_a_serious_finding_nothing_is_challenged(changed: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = recorded("code_review_answers")["branch"]
    story["phases"]["review"][0]["answer"] = [{"findings": []}, {"findings": []}]
    assert [response["phase"] for response in walk(changed, story)] == ["scope", "review", "review", "report", "report"]


def test_a_review_of_a_file_that_is_not_due_is_rejected_and_can_be_corrected(changed: Workspace) -> None:
    begun = step_workflow(changed, {"workflow": "code-review", "phase": "scope"})
    asked = step_workflow(changed, begun["next_call"]["arguments"])
    wrong = [{"path": "README.md", "findings": []}, {"findings": []}]
    refused = step_workflow(changed, {**asked["next_call"]["arguments"], "answer": wrong})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert '"README.md", which is not due' in refused["error"]["message"]
    mended = step_workflow(
        changed, {**refused["next_call"]["arguments"], "answer": [{"findings": []}, {"findings": []}]}
    )
    assert mended["status"] == "complete"
    assert mended["result"]["done"] is True
