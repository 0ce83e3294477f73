"""Bug fix in a small real project: fix only a reproduced bug, accept only a real change."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.workflows.query import step_workflow

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
    assert [response["phase"] for response in responses] == ["reproduce", "fix", "fix", "without", "review", "back"]
    assert phases(responses)[:8] == ["retrieve", "reproduce", "confirm", "fails", "fix", "passes", "verify", "again"]
    assert "`files`: shop/payments.py is as it was before the fix" in responses[2]["prompt_template"]


def test_a_fixed_bug_ends_with_what_was_found(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    output = walk(versioned, recorded("bug_fix_answers")["mended"])[-1]["output"]
    assert output == {
        "status": "fixed",
        "tested": False,
        "seen": [
            "The test is new or changed.",
            "The files of the fix differ in code from those before it.",
            "The fix was out when the test was run without it.",
            "At the end the fix is in place, as it was when it was checked.",
        ],
        "said": [
            "The test failed before the fix.",
            "The test passes with the fix, and no test fails that did not before.",
            "Without the fix, the test failed again.",
        ],
        "without_fix": "assert 5 == 4",
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
    story["phases"]["review"][0]["answer"] = {"faults": ["shop/payments.py:33 a declined card is charged again"]}
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
    (asked,) = (
        one["prompt_template"] for one in responses if one["phase"] == "fix" and "Trace" in one["prompt_template"]
    )
    assert 'Aurora has run no test (the program "pytest" is not allowed' in asked
    assert output["said"][-1].startswith('Aurora ran no test: the program "pytest" is not allowed')


def test_the_fix_must_be_out_when_the_test_fails_without_it(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    out = story["phases"]["without"][0]
    story["phases"]["without"] = [{"answer": out["answer"]}, out]
    responses = walk(versioned, story)
    assert [one["phase"] for one in responses][3:5] == ["without", "without"]
    assert "shop/payments.py is not as it was before the fix" in responses[4]["prompt_template"]
    assert responses[-1]["output"]["status"] == "fixed"


def test_a_fix_that_is_not_put_back_is_not_called_fixed(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = recorded("bug_fix_answers")["mended"]
    back = story["phases"]["review"][0]
    story["phases"]["review"] = [{"answer": back["answer"]}, {"answer": back["answer"]}]
    responses = walk(versioned, story)
    assert responses[5]["phase"] == "review"
    assert "shop/payments.py is not as it was when it was verified" in responses[5]["prompt_template"]
    assert responses[-1]["output"]["status"] == "not_fixed"


def test_a_file_with_other_changes_is_as_before_when_only_the_fix_is_out(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    payments = versioned.root / "shop" / "payments.py"
    before = payments.read_text(encoding="utf-8").replace("MAX_ATTEMPTS = 5", "MAX_ATTEMPTS = 6")
    payments.write_text(before, encoding="utf-8")
    story = recorded("bug_fix_answers")["mended"]
    fixed = story["phases"]["fix"][1]["writes"]
    story["phases"]["without"] = [
        {"git": [["stash", "push", "-q", "--", "shop/payments.py"]], "answer": {"failure": "assert 6 == 5"}},
        {"writes": {"shop/payments.py": before}, "answer": {"failure": "assert 6 == 5"}},
    ]
    story["phases"]["review"] = [{"writes": fixed, "answer": {"faults": []}}]
    responses = walk(versioned, story)
    assert "shop/payments.py is not as it was before the fix" in responses[4]["prompt_template"]
    assert responses[-1]["output"]["status"] == "fixed"


def test_a_test_that_changed_after_it_had_failed_is_told_to_the_review(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    test = story["phases"]["reproduce"][0]["writes"]["tests/test_payments.py"]
    story["phases"]["fix"][1]["writes"]["tests/test_payments.py"] = f"{test}    assert waits\n"
    responses = walk(versioned, story)
    assert "The test was changed after it had failed" in responses[4]["prompt_template"]


def test_a_fix_that_was_committed_counts_as_a_change(
    versioned: Workspace, walk: Walk, recorded: Recorded, git: Callable[..., str]
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    story["phases"]["fix"] = [{**story["phases"]["fix"][1], "git": [["add", "."], ["commit", "-q", "-m", "Mended"]]}]
    story["phases"]["without"][0]["git"] = [["checkout", "-q", "HEAD~1", "--", "shop/payments.py"]]
    story["phases"]["review"][0]["git"] = [["checkout", "-q", "HEAD", "--", "shop/payments.py"]]
    responses = walk(versioned, story)
    assert [one["phase"] for one in responses] == ["reproduce", "fix", "without", "review", "back"]
    assert responses[-1]["output"]["status"] == "fixed"
    evidence = {"changed": ["shop/payments.py"]}
    since = {"head": git("rev-parse", "HEAD~1").strip(), "files": []}
    assert call_tool(versioned, "evidence.check", {**evidence, "since": since})["holds"] is True
    assert call_tool(versioned, "evidence.check", evidence)["holds"] is False


def test_a_failure_that_was_there_before_does_not_reject_the_fix(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    story["phases"]["reproduce"][0]["answer"]["baseline"] = ["test_network"]
    rejected = {
        **story["phases"]["fix"][1],
        "answer": {**story["phases"]["fix"][1]["answer"], "new_failures": ["test_pay"]},
    }
    story["phases"]["fix"].insert(1, rejected)
    responses = walk(versioned, story)
    told = responses[3]["prompt_template"]
    assert "`new_failures`: test_pay fails. If it fails without the fix too, leave it out." in told
    assert "a fix that is right stays" in told
    assert ("undo" in told.lower(), "shop/payments.py" in told) == (False, False)
    assert responses[-1]["output"]["status"] == "fixed"


def test_a_fix_that_changes_only_comments_is_rejected_with_the_reason(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    payments = (versioned.root / "shop" / "payments.py").read_text(encoding="utf-8")
    story["phases"]["fix"][0]["writes"] = {"shop/payments.py": f"# The last attempt waits no more.\n{payments}\n"}
    responses = walk(versioned, story)
    assert "in shop/payments.py, only comments and white space differ" in responses[2]["prompt_template"]
    assert responses[-1]["output"]["status"] == "fixed"


def test_an_untouched_test_shows_no_bug_unless_it_is_named(
    versioned: Workspace, walk: Walk, recorded: Recorded, git: Callable[..., str]
) -> None:
    story = recorded("bug_fix_answers")["mended"]
    (path, text), *_ = story["phases"]["reproduce"][0].pop("writes").items()
    (versioned.root / path).parent.mkdir()
    (versioned.root / path).write_text(text, encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "A failing test")
    first = story["phases"]["reproduce"][0]["answer"]
    story["phases"]["reproduce"].append({"answer": {**first, "existing": "test_no_wait_after_the_last_attempt"}})
    responses = walk(versioned, story)
    assert f"`test`: {path} is as in the last commit" in responses[1]["prompt_template"]
    assert (responses[2]["phase"], responses[-1]["output"]["status"]) == ("fix", "fixed")


def test_the_review_corrects_the_cause(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = recorded("bug_fix_answers")["mended"]
    story["phases"]["review"][0]["answer"]["cause"] = "The loop waits after each failure."
    responses = walk(versioned, story)
    assert "Without the fix: assert 5 == 4" in responses[4]["prompt_template"]
    output = responses[-1]["output"]
    assert (output["cause"], output["without_fix"]) == ("The loop waits after each failure.", "assert 5 == 4")


def test_a_late_call_of_a_gate_says_that_another_run_goes_on_from_there(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    responses = walk(versioned, recorded("bug_fix_answers")["mended"])
    run = responses[0]["run"]
    late = step_workflow(versioned, {"workflow": "bug-fix", "phase": "confirm", "run": run})
    assert late["run"] != run
    said = f"This went back to step 3 of run {run}, which stays as it is: run {late['run']} goes on from there."
    assert said in late["guidance"]
    (again,) = [step_workflow(versioned, late["next_call"]["arguments"] | {"answer": {}})]
    assert "went back" not in again["guidance"]


def test_an_unreproduced_bug_is_tried_twice_more_and_then_reported(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    responses = walk(versioned, recorded("bug_fix_answers")["never_reproduced"])
    assert [response["phase"] for response in responses] == ["reproduce", "reproduce", "reproduce", "confirm"]
    again = ["reproduce", "confirm"] * 3
    assert phases(responses) == ["retrieve", *again, "stopped"]
    assert "`reproduced` is false" in responses[1]["prompt_template"]
    assert responses[-1]["output"]["status"] == "not_reproduced"


def test_a_missing_test_confirms_nothing(versioned: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = json.loads(json.dumps(recorded("bug_fix_answers")["never_reproduced"]))
    story["phases"]["reproduce"][0]["answer"]["reproduced"] = True
    responses = walk(versioned, story)
    assert "`test`: the project has no file tests/test_lost.py" in responses[1]["prompt_template"]
    assert "fix" not in phases(responses)


def test_without_git_nothing_is_said_to_be_seen_that_only_git_shows(
    versioned: Workspace, walk: Walk, recorded: Recorded
) -> None:
    shutil.rmtree(versioned.root / ".git")
    story = recorded("bug_fix_answers")["mended"]
    story["phases"]["fix"] = story["phases"]["fix"][1:]
    fixed = story["phases"]["fix"][0]["writes"]
    story["phases"]["without"] = [{"answer": {"failure": "assert 5 == 4"}}]
    story["phases"]["review"] = [{"writes": fixed, "answer": {"faults": []}}]
    output = walk(versioned, story)[-1]["output"]
    assert output["status"] == "fixed"
    assert output["seen"] == ["At the end the fix is in place, as it was when it was checked."]
