"""Code review in a small real project: each file once, only confirmed findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]

BATCH = 6


def test_each_response_of_a_review_is_as_recorded(
    changed: Workspace, walk: Walk, recorded: Recorded, scrubbed: Callable[..., Any], snapshot: Any
) -> None:
    responses = walk(changed, recorded("code_review_answers")["branch"])
    assert [response["phase"] for response in responses] == ["files", "overlooked", "challenge", "settle"]
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")


def test_the_verdict_is_that_of_the_findings_that_hold(changed: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = recorded("code_review_answers")["branch"]
    output = walk(changed, story)[-1]["output"]
    assert output["verdict"] == "request_changes"
    assert [one["severity"] for one in output["findings"]] == ["major", "minor", "note"]
    story["phases"]["challenge"][0]["answer"][1]["verdict"] = "refuted"
    assert walk(changed, story)[-1]["output"]["verdict"] == "approve"


def test_the_corrections_of_the_challenge_are_in_the_findings(
    changed: Workspace, walk: Walk, recorded: Recorded
) -> None:
    story = recorded("code_review_answers")["branch"]
    story["phases"]["challenge"][0]["answer"] = [
        {"verdict": "refuted", "because": "tests/ has one."},
        {"verdict": "holds", "because": "It adds 30.", "severity": "minor", "line": 23, "detail": "30 is in minutes."},
    ]
    responses = walk(changed, story)
    output = responses[-1]["output"]
    assert [(one["severity"], one["line"], one["detail"]) for one in output["findings"]] == [
        ("minor", 23, "30 is in minutes."), ("note", 0, "")
    ]  # fmt: skip
    assert [one["because"] for one in output["refuted"]] == ["tests/ has one."]
    assert output["verdict"] == "approve"


def test_each_finding_is_kept_with_its_own_verdict(changed: Workspace, walk: Walk, recorded: Recorded) -> None:
    responses = walk(changed, recorded("code_review_answers")["branch"])
    first, second = responses[2]["prompt_template"]
    assert ("No test opens a session" in first, "Every session is expired" in second) == (True, True)
    assert ("Does the triggering input" in first, "Does the triggering input" in second) == (True, False)
    severe, *_ = responses[-1]["output"]["findings"]
    assert (severe["title"], severe["because"]) == (
        "Every session is expired at once", "shop/sessions.py:21 adds 30, and now() is in seconds."
    )  # fmt: skip


def test_each_changed_file_is_shown_with_the_numbers_of_its_new_lines(changed: Workspace) -> None:
    first, second = step_workflow(changed, {"workflow": "code-review"})["prompt_template"]
    assert "Review shop/clock.py (added, +5 " in first
    assert "5 +    return time.time()" in first
    assert "Review shop/sessions.py (changed, +1 " in second
    lines = (changed.root / "shop" / "sessions.py").read_text(encoding="utf-8").split("\n")
    number = lines.index("        return None") + 1
    assert f"{number} +        return None" in second
    assert "   -        return self._sessions.get(token)" in second
    assert ("Check in this order" in first, "Check in this order" in second) == (True, False)


def test_a_finding_away_from_the_change_is_asked_about_once(changed: Workspace) -> None:
    response = step_workflow(changed, {"workflow": "code-review"})
    finding = {"severity": "minor", "title": "It is lost", "detail": ""}
    wrong = [
        {**finding, "path": "shop/sessions.py", "line": 2},
        {**finding, "path": "shop/clock.py", "line": 50},
        {**finding, "path": "shop/clokc.py", "line": 1},
        {**finding, "path": "shop/payments.py", "line": 2},
        {**finding, "path": "shop/clock.py", "line": 0},
    ]
    answer = [{"findings": wrong}, {"findings": []}]
    asked = step_workflow(changed, {**response["next_call"]["arguments"], "answer": answer})
    assert asked["phase"] == "challenge"
    first, second, third = asked["prompt_template"]
    assert "it is neither changed nor next to a change; line" in first
    assert "the file has 5 lines" in second
    assert "the project has no such file" in third
    verdicts = [{"verdict": "holds", "because": "So it is."}] * 2 + [{"verdict": "refuted", "because": "A typo."}]
    ended = step_workflow(changed, {**asked["next_call"]["arguments"], "answer": verdicts})
    assert [bool(one["place"]) for one in ended["output"]["findings"]] == [True, True, False, False]


def test_a_long_change_is_cut_between_lines_and_counted(versioned: Workspace) -> None:
    lines = "".join(f"value_{number} = 1\n" for number in range(2000))
    (versioned.root / "shop" / "long.py").write_text(lines, encoding="utf-8")
    (versioned.root / "shop" / "odd.py").write_text("\x01" * 9000 + "\u202e\n", encoding="utf-8")
    (versioned.root / ".env").write_text("TOKEN=abc\n", encoding="utf-8")
    prompts = step_workflow(versioned, {"workflow": "code-review"})["prompt_template"]
    assert "   1 +value_0 = 1\n" in prompts[0]
    assert "more lines]\n</material>" in prompts[0]
    assert all(len(prompt) < 8000 for prompt in prompts)
    assert not any("\x01" in prompt or "abc" in prompt for prompt in prompts)


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
    (prompt,) = step_workflow(versioned, {"workflow": "code-review", "base": "main"})["prompt_template"]
    assert "Review shop/clock.py (added" in prompt
    assert "1 +import time" in prompt


def test_with_a_base_untracked_files_are_left_out_and_counted(versioned: Workspace, git: Callable[..., str]) -> None:
    git("checkout", "-q", "-b", "work")
    (versioned.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    (versioned.root / "shop" / "clock.py").write_text("import time\n", encoding="utf-8")
    arguments = {"workflow": "code-review", "phase": "scope", "base": "main"}
    nothing = step_workflow(versioned, arguments)
    assert (nothing["result"]["files"], nothing["next_call"]) == ([], None)
    assert nothing["result"]["note"] == (
        "Nothing differs from main. 2 untracked files left out: with a base, only what git tracks counts."
    )
    git("add", "shop/clock.py")
    (prompt,) = step_workflow(versioned, arguments)["prompt_template"]
    assert "shop/clock.py (added" in prompt
    (named,) = step_workflow(versioned, {**arguments, "files": ["notes.txt"]})["prompt_template"]
    assert "notes.txt (added" in named


@pytest.mark.parametrize("committed", ["", "# The shop\n\nSay please.\n"])
def test_what_init_writes_is_never_reviewed(
    versioned: Workspace, git: Callable[..., str], committed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = versioned.root
    if committed:
        (root / "CLAUDE.md").write_text(committed, encoding="utf-8")
        (root / ".mcp.json").write_text('{"mcpServers": {"other": {"command": "other"}}}\n', encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", "Notes")
    call_tool(versioned, "init.run", {"hosts": ["claude-code"]})
    (root / ".aurora" / "workflows").mkdir(exist_ok=True)
    (root / ".aurora" / "workflows" / "soar.yaml").write_text("extends: soar\n", encoding="utf-8")
    differing = git("status", "--porcelain", "--untracked-files=all")
    assert all(name in differing for name in ("CLAUDE.md", ".mcp.json", "SKILL.md", ".aurora/workflows/soar.yaml"))
    assert step_workflow(versioned, {"workflow": "code-review"})["next_call"] is None
    note = (root / "CLAUDE.md").read_text(encoding="utf-8")
    (root / "CLAUDE.md").write_text(f"Own words.\n{note}", encoding="utf-8")
    (prompt,) = step_workflow(versioned, {"workflow": "code-review"})["prompt_template"]
    assert "Review CLAUDE.md (" in prompt


def test_many_files_are_reviewed_one_by_one_a_few_at_a_time(versioned: Workspace) -> None:
    names = [f"shop/part_{number:02}.py" for number in range(2 * BATCH + 1)]
    for name in names:
        (versioned.root / name).write_text("x = 1\n", encoding="utf-8")
    response = step_workflow(versioned, {"workflow": "code-review"})
    asked: list[str] = []
    places: list[str] = []
    batches: list[int] = []
    while response["phase"] == "files":
        prompts = response["prompt_template"]
        batches.append(len(prompts))
        places.append(response["progress"])
        paths = [prompt.split()[1] for prompt in prompts]
        asked += paths
        found = {"line": 1, "severity": "minor", "title": "x says nothing", "detail": ""}
        answer = [{"findings": [{"path": path, **found}]} for path in paths]
        response = step_workflow(versioned, {**response["next_call"]["arguments"], "answer": answer})
    assert (asked, batches) == (names, [BATCH, BATCH, 1])
    assert places == ["2/8 files (1-6 of 13)", "2/8 files (7-12 of 13)", "2/8 files (13 of 13)"]
    assert response["next_call"] is None
    assert [one["title"] for one in response["output"]["findings"]] == ["x says nothing"] * len(names)


def test_without_a_serious_finding_nothing_is_challenged(changed: Workspace, walk: Walk, recorded: Recorded) -> None:
    story = recorded("code_review_answers")["branch"]
    story["phases"]["files"][0]["answer"][0] = {"findings": []}
    assert [response["phase"] for response in walk(changed, story)] == ["files", "overlooked", "settle"]


def test_without_a_finding_the_review_ends_after_a_second_look(changed: Workspace) -> None:
    first = step_workflow(changed, {"workflow": "code-review"})
    answer = [{"findings": []}, {"findings": []}]
    second = step_workflow(changed, {**first["next_call"]["arguments"], "answer": answer})
    assert "Nothing was found in shop/clock.py, shop/sessions.py." in second["prompt_template"]
    ended = step_workflow(changed, {**second["next_call"]["arguments"], "answer": {"findings": []}})
    assert ended["output"] == {"verdict": "approve", "findings": [], "refuted": []}
    assert ended["next_call"] is None


def test_a_base_that_git_does_not_know_can_be_corrected(changed: Workspace) -> None:
    refused = step_workflow(changed, {"workflow": "code-review", "base": "mian"})
    assert (refused["error"]["code"], refused["run"]) == ("NOT_FOUND", None)
    assert step_workflow(changed, {"workflow": "code-review", "base": "main"})["phase"] == "files"
