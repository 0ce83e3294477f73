"""Recorded responses of the ends that stop early and of a job, and of every phase at least one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter import Engine
from aurora.interpreter.run.call import PersonReply
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.ports import MemoryJournal, PhaseToolRunner, ProjectSurroundings, SystemClock
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow
from tests.wire.prepared_project import comparable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Walk = Callable[..., list[dict[str, Any]]]
    Recorded = Callable[[str], dict[str, Any]]
    Scrubbed = Callable[[dict[str, Any]], Any]

HERE = Path(__file__).resolve().parent
SNAPSHOTS = HERE.parents[1] / "snapshots" / "workflows"
RECORDED = {
    "bug-fix": ("test_phase_by_phase/*[[]bug-fix-*",),
    "check": ("test_every_phase/*_of_an_answer_*",),
    "code-review": ("test_phase_by_phase/*_of_a_review_*", "test_phase_by_phase/*-files-*"),
    "design": ("test_phase_by_phase/*[[]design-*",),
    "feature": (
        "test_phase_by_phase/*[[]feature-*",
        "test_phase_by_phase/*_never_ready_*",
        "test_every_phase/*[[]feature-*",
    ),
    "maintenance": ("test_every_phase/*_maintenance_*",),
    "soar": ("test_soar_responses/test_each_response_is_as_recorded*",),
    "soar-fast": ("test_soar_responses/test_each_response_is_as_recorded*",),  # its phases are those of soar
}
"""Shipped workflow -> where its responses are recorded."""
MOST_FILES = 48
"""Changed files above which `code-review` stops."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """Open a project of fixed files that was never indexed."""
    shutil.copytree(HERE / "project", tmp_path / "shop")
    with Workspace(tmp_path / "shop") as workspace:
        yield workspace


def step_job(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    """Step a job to its end, as a person starts it in a terminal."""
    engine = Engine(
        workspace.workflows,
        PhaseToolRunner(workspace, runs_job=True),
        MemoryJournal(workspace),
        SystemClock(),
        default="soar",
        surroundings=ProjectSurroundings(workspace),
    )
    responses = [step_workflow(workspace, {"workflow": name}, engine=engine)]
    while responses[-1]["next_call"]:
        responses.append(step_workflow(workspace, responses[-1]["next_call"]["arguments"], engine=engine))
    return responses


def test_each_response_of_maintenance_is_as_recorded(shop: Workspace, scrubbed: Scrubbed, snapshot: Any) -> None:
    responses = step_job(shop, "maintenance")
    assert [one["phase"] for one in responses] == list(shop.workflows.load("maintenance").workflow.phases)
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert comparable(scrubbed(response), shop.root) == snapshot(name=f"{number:02}-{response['phase']}")


def test_the_check_of_an_answer_is_as_recorded(versioned: Workspace, scrubbed: Scrubbed, snapshot: Any) -> None:
    answer = "`charge_card` (shop/payments.py:1-4) waits `time.sleep(0.7 * 2**attempt)` (shop/payments.py:1-40)."
    call_tool(versioned, "mem.index", {})
    response = step_workflow(versioned, {"workflow": "check", "query": "Why does it wait?", "answer": answer})
    assert not response["result"]["ok"]
    assert scrubbed(response) == snapshot(name="check")


def test_the_end_of_an_unreproduced_bug_is_as_recorded(
    versioned: Workspace, walk: Walk, recorded: Recorded, scrubbed: Scrubbed, snapshot: Any
) -> None:
    ended = walk(versioned, recorded("bug_fix_answers")["never_reproduced"])[-1]
    assert ended["output"]["status"] == "not_reproduced"
    assert scrubbed(ended) == snapshot(name="bug-fix-stopped")


@pytest.mark.parametrize(("count", "phase"), [(MOST_FILES, "files"), (MOST_FILES + 1, "stopped")])
def test_the_response_to_many_changed_files_is_as_recorded(
    versioned: Workspace, scrubbed: Scrubbed, snapshot: Any, count: int, phase: str
) -> None:
    for number in range(count):
        (versioned.root / "shop" / f"part_{number:02}.py").write_text("x = 1\n", encoding="utf-8")
    response = step_workflow(versioned, {"workflow": "code-review"})
    assert phase in list_phases(response)
    assert scrubbed(response) == snapshot(name=f"code-review-{phase}")


def test_the_end_of_work_that_is_never_ready_is_as_recorded(
    versioned: Workspace, walk: Walk, recorded: Recorded, scrubbed: Scrubbed, snapshot: Any
) -> None:
    story = recorded("feature_answers")["expiry"]
    story["phases"]["build"] = story["phases"]["build"][:1]
    ended = walk(versioned, story)[-1]
    assert ended["output"]["ready"] is False
    assert scrubbed(ended) == snapshot(name="feature-stopped")


def test_the_question_about_a_plan_and_its_decline_are_as_recorded(
    versioned: Workspace, recorded: Recorded, scrubbed: Scrubbed, snapshot: Any
) -> None:
    story = recorded("feature_answers")["expiry"]
    begun = step_workflow(versioned, {**story["begin"], "approve": True})
    plan = story["phases"]["plan"][0]["answer"]
    waiting = step_workflow(versioned, {**begun["next_call"]["arguments"], "answer": plan})
    assert waiting["status"] == "waiting"
    assert scrubbed(waiting) == snapshot(name="feature-approve")
    no = PersonReply(accepts=False, how="terminal", who="ada")
    declined = step_workflow(versioned, waiting["next_call"]["arguments"], person=no)
    assert declined["next_call"] is None
    assert scrubbed(declined) == snapshot(name="feature-declined")


def list_phases(response: dict[str, Any]) -> set[str]:
    """The phase of a response, and those that its call passed."""
    return {response["phase"], *(step.split(":")[0] for step in response["metadata"].get("passed", ()))}


@pytest.mark.parametrize("name", RECORDED)
def test_every_phase_of_a_shipped_workflow_is_in_a_recorded_response(shop: Workspace, name: str) -> None:
    """A phase that does or asks something is that of a response; rules alone need none, and are named in one."""
    responses = [json.loads(path.read_text("utf-8")) for place in RECORDED[name] for path in SNAPSHOTS.glob(place)]
    own = {response["phase"] for response in responses}
    passed = {phase for response in responses for phase in list_phases(response)}
    phases = shop.workflows.load(name).workflow.phases
    working = {key for key, phase in phases.items() if not phase.only_decides}
    assert (working - own, set(phases) - passed) == (set(), set())


def test_soar_in_few_calls_has_the_phases_of_soar(shop: Workspace) -> None:
    few, soar = (shop.workflows.load(name).workflow for name in ("soar-fast", "soar"))
    assert list(few.phases) == list(soar.phases)


def test_these_are_all_shipped_workflows(shop: Workspace) -> None:
    assert set(RECORDED) == {one["name"] for one in call_tool(shop, "workflow.list", {})["workflows"]}
