"""Long runs and large workflows cost the same per step and per phase.

The tests count calls of Python functions, which do not depend on the machine: what goes through all earlier steps again
makes more of them at the end of a run than at its beginning.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter import Catalog
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGE = Path(__file__).resolve().parents[2] / "bench" / "large_workflows.py"
WINDOW = 20
"""Calls at the beginning and at the end that are compared."""
MAX_GROWTH = 1.1
MAX_CALLS_OF_A_PHASE = 900
"""Calls of functions to read and check one phase of some 70 values before a run."""
ANSWERS: dict[str, Any] = {"write": {"text": "a text"}, "review": {"ok": False}, "each/draft": {"text": "again"}}


def load_generators() -> Any:
    spec = importlib.util.spec_from_file_location("large_workflows", LARGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATORS = load_generators()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("AURORA_TRUST", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project" / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    for name in ("rounds", "items", "walks", "part"):
        (folder / f"{name}.yaml").write_text(getattr(GENERATORS, name.upper()), encoding="utf-8")
    with Workspace(tmp_path / "project") as found:
        yield found


def count_calls(work: Callable[[], Any]) -> tuple[int, Any]:
    """Count the calls of Python functions, and the values that generators yield, during some work."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        result = work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return count, result


def walk(workspace: Workspace, arguments: dict[str, Any], calls: int) -> list[int]:
    """Step a run this often, or to its end; return the calls of functions of each step in the two windows."""
    counts: list[int] = []
    for number in range(calls):
        is_counted = WINDOW <= number < 2 * WINDOW or number >= calls - WINDOW

        def step(given: dict[str, Any] = arguments) -> dict[str, Any]:
            return step_workflow(workspace, given)

        count, response = count_calls(step) if is_counted else (0, step())
        counts += [count] if is_counted else []
        assert response["status"] != "error", response
        following = response["next_call"]
        arguments = dict(following["arguments"])
        if "answer" in following["needs"]:
            prompts = response["prompt_template"]
            done = [{"done": True}] * len(prompts)
            arguments["answer"] = done if isinstance(prompts, list) else ANSWERS[response["phase"]]
    return counts


@pytest.mark.parametrize("name", ["rounds", "walks"])
def test_a_step_of_a_long_run_costs_what_one_of_a_short_run_does(workspace: Workspace, name: str) -> None:
    first: dict[str, Any] = {"workflow": name}
    if name == "walks":
        first["names"] = ["a", "b"]

    counts = walk(workspace, first, 400)

    assert sum(counts[WINDOW:]) <= MAX_GROWTH * sum(counts[:WINDOW])


def test_a_call_of_a_list_of_ten_thousand_items_costs_the_same_to_the_end(workspace: Workspace) -> None:
    names = [f"n{number}" for number in range(10_000)]

    counts = walk(workspace, {"workflow": "items", "names": names}, 99)

    assert sum(counts[WINDOW:]) <= MAX_GROWTH * sum(counts[:WINDOW])


def test_the_steps_of_a_walked_list_store_its_items_once(workspace: Workspace) -> None:
    names = [f"name {number}" for number in range(200)]
    response = step_workflow(workspace, {"workflow": "walks", "names": names})
    for _ in range(100):
        response = step_workflow(workspace, {**response["next_call"]["arguments"], "answer": {"text": "once"}})
    found = workspace.memory.journal.steps(response["run"])

    entries = [step.document for step in found if step.document.get("kind") == "enter"]

    assert len(entries) == 101
    assert entries[0]["items"] == names
    assert all("items" not in entry and not entry["inputs"] for entry in entries[1:])
    assert [entry["arguments"]["topic"] for entry in entries] == names[:101]


def test_a_check_costs_the_same_for_each_phase(tmp_path: Path) -> None:
    costs: dict[int, int] = {}
    for phases in (20, 50, 500):  # the first time fills caches
        path = tmp_path / f"w{phases}.yaml"
        path.write_text(GENERATORS.build_branching(phases), encoding="utf-8")
        costs[phases], problems = count_calls(lambda path=path: Catalog(None).find_problems(str(path)))
        assert problems == ()

    assert costs[500] / 500 <= MAX_GROWTH * costs[50] / 50


@pytest.mark.parametrize("build", ["build_branching", "build_different"])
def test_a_workflow_is_loaded_for_a_run_in_few_calls_for_each_phase(tmp_path: Path, build: str) -> None:
    costs: dict[int, int] = {}
    for phases in (20, 100, 500):  # the first time fills caches
        path = tmp_path / f"w{phases}.yaml"
        path.write_text(getattr(GENERATORS, build)(phases), encoding="utf-8")
        costs[phases], definition = count_calls(lambda path=path: Catalog(None).load_file(path))
        assert len(definition.workflow.phases) == phases
        assert "root" not in vars(definition.document)

    assert costs[500] / 500 <= MAX_GROWTH * costs[100] / 100
    assert costs[500] / 500 <= MAX_CALLS_OF_A_PHASE
