"""Every phase of the workflows that run several in a call, in the response of a call of its own.

A phase of rules alone, and one that is skipped, need no call at any pace; the next response names it with its outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Recorded = Callable[[str], dict[str, Any]]
    Scrubbed = Callable[[dict[str, Any]], Any]
    CheckRun = Callable[[Workspace, dict[str, Any]], list[dict[str, Any]]]

ALLOWED = '[[commands]]\nprogram = "grep"\narguments = ["-q"]\nfurther = ["**"]\n'
SUITES = {
    "bug-fix": ["grep", "-q", "attempt + 1", "shop/payments.py"],
    "feature": ["grep", "-q", "1800", "shop/expiry.py"],
}
"""Workflow -> the program that stands for the tests of the project."""


def run_phase_by_phase(workspace: Workspace, name: str) -> None:
    """Let a shipped workflow run one phase a call in this project."""
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(f"extends: {name}\npace: phase\n", encoding="utf-8")
    (workspace.root / ".gitignore").write_text(".aurora/\n.gitignore\n", encoding="utf-8")


@pytest.fixture
def scrubbed(scrubbed: Scrubbed) -> Scrubbed:
    """Remove from a response what differs from run to run, the time of a program too."""

    def scrub(response: dict[str, Any]) -> Any:
        data = scrubbed(response)
        if data["result"] and "seconds" in data["result"]:
            data["result"]["seconds"] = 0
        return data

    return scrub


@pytest.fixture
def check_run(walk: Callable[..., list[dict[str, Any]]], scrubbed: Scrubbed, snapshot: Any) -> CheckRun:
    """Walk a story phase by phase, and compare each response with the recorded one."""

    def check(workspace: Workspace, story: dict[str, Any]) -> list[dict[str, Any]]:
        run_phase_by_phase(workspace, story["begin"]["workflow"])
        responses = walk(workspace, story)
        assert responses[-1]["next_call"] is None
        for number, response in enumerate(responses, 1):
            assert response["status"] == "complete", response.get("error")
            assert scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")
        return responses

    return check


@pytest.fixture
def _allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow the programs of the stories."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "aurora" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(ALLOWED, encoding="utf-8")
    file.chmod(0o600)


@pytest.mark.usefixtures("_allowed")
@pytest.mark.parametrize(
    ("name", "story"),
    [("bug-fix", "mended"), ("bug-fix", "never_reproduced"), ("design", "expiry"), ("feature", "expiry")],
)
def test_each_phase_of_a_run_is_as_recorded(
    versioned: Workspace, recorded: Recorded, check_run: CheckRun, name: str, story: str
) -> None:
    told = recorded(f"{name.replace('-', '_')}_answers")[story]
    told["begin"] |= {"suite": SUITES[name]} if name in SUITES else {}
    check_run(versioned, told)


def test_each_phase_of_a_review_is_as_recorded(changed: Workspace, recorded: Recorded, check_run: CheckRun) -> None:
    check_run(changed, recorded("code_review_answers")["branch"])


def test_each_phase_of_work_that_is_never_ready_is_as_recorded(
    versioned: Workspace, recorded: Recorded, check_run: CheckRun
) -> None:
    story = recorded("feature_answers")["expiry"]
    story["phases"]["build"] = story["phases"]["build"][:1]
    assert check_run(versioned, story)[-1]["metadata"]["passed"][-1] == "stopped: complete"


@pytest.mark.parametrize(("count", "phase"), [(7, "files"), (49, "stopped")])
def test_the_phase_for_many_changed_files_is_as_recorded(
    versioned: Workspace, scrubbed: Scrubbed, snapshot: Any, count: int, phase: str
) -> None:
    run_phase_by_phase(versioned, "code-review")
    for number in range(count):
        (versioned.root / "shop" / f"part_{number:02}.py").write_text("x = 1\n", encoding="utf-8")
    scope = step_workflow(versioned, {"workflow": "code-review"})
    response = step_workflow(versioned, scope["next_call"]["arguments"])
    assert phase in (response["metadata"].get("passed") or [response["phase"]])[-1]
    for one in (scope, response):
        assert scrubbed(one) == snapshot(name=f"{count}-files-{one['phase']}")
