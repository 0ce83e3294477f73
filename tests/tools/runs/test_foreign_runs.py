"""A run that another program wrote, or that was changed, is refused by name, and the other runs are shown."""

from __future__ import annotations

import contextlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from aurora.errors import Code, Fault
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.maintenance import check_memory, check_store, repair_memory, repair_store
from aurora.memory.model.json_columns import clean_text
from aurora.memory.model.runs import RunHead, RunStep
from aurora.memory.records.export import export_records
from aurora.memory.records.import_ import import_records
from aurora.tools.runtime import call_tool
from aurora.tools.workflows.query import step_workflow
from aurora.ui.local import PAGES, FolderSource
from aurora.ui.request import PageRequest, Visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.tools.runtime import Workspace

FOREIGN = "foreign1"
WORKFLOW = """\
aurora: 2
name: gated
version: 1.0.0
start: draft
phases:
  draft:
    inputs: { task: { type: string }, depth: { type: integer, default: 2 } }
    prompt_template: Do {{ task }}.
    answer: { type: object, required: [text, ready], properties: { text: { type: string }, ready: { type: boolean } } }
    next_action:
      - { when: "answer.ready == `true`", then: look }
      - { then: draft, max: 3, else: sorry, say: "Not ready: once more." }
  look:
    inputs: { text: { from: phases.draft.answer.text, type: string } }
    uses: mem.get
    with: { path: text, lines: "'1-3'" }
    next_action: sorry
    on_error: approve
  approve:
    person: { message: "Is this right?", form: { sure: { type: boolean } }, on_decline: sorry }
    next_action:
      - { when: "answer.sure == `true`", then: sorry }
      - { then: draft, max: 2, else: sorry }
  sorry:
    uses: mem.stats
    next_action: end
"""
ODD = [
    *(0, 1.5, -7, 10**400, 1e999, "", "x", "\ud800", True, None, [], {}, [0], [{}], [[]], {"a": [1]}),
    *("not a phase", "draft", "continue", "end", {"token": 5}, {"then": []}),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
REMOVED = object()
Place = tuple[str | int, ...]


def list_places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the places of all values within a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield (*place, key)
        yield from list_places(inner, (*place, key))


def change_value(record: Any, place: Place, value: Any) -> None:
    """Change the value at a place, or remove it; an earlier change may have removed the place."""
    with contextlib.suppress(KeyError, IndexError, TypeError):
        for key in place[:-1]:
            record = record[key]
        if value is REMOVED:
            del record[place[-1]]
        else:
            record[place[-1]] = value


def walk(workspace: Workspace) -> str:
    """Walk a run that loops, fails, and waits for the person, and return its name."""
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gated.yaml").write_text(WORKFLOW, encoding="utf-8")
    call: dict[str, Any] = {"workflow": "gated", "phase": "draft", "task": "the task"}
    answers = iter([{"text": "a", "ready": False}, {"text": "/etc/x", "ready": True}])
    response = step_workflow(workspace, call)
    while response["status"] != "waiting":
        next_call = response["next_call"]
        answer = {"answer": next(answers)} if "answer" in next_call["needs"] else {}
        response = step_workflow(workspace, {**next_call["arguments"], **answer})
    return str(response["run"])


def read_record(workspace: Workspace, run: str) -> dict[str, Any]:
    """Read a run as an export of another account has it."""
    lines = [json.loads(line) for line in export_records(workspace.memory.store).lines[1:]]
    (head,) = [line for line in lines if line["record"] == "run" and line["run"] == run]
    steps = [line for line in lines if line["record"] == "step" and line["run"] == run]
    return {"head": head, "steps": steps}


def insert_record(workspace: Workspace, record: dict[str, Any]) -> None:
    """Insert a run as the memory of a clone may have it, in place of the former one of this name."""
    head, steps = record["head"], record["steps"]
    with workspace.memory.store.begin_write() as db:
        db.runs.remove([FOREIGN])
        times = (clean_text(str(head.get("created_at"))), clean_text(str(head.get("updated_at"))))
        document = json.dumps(head.get("document")).replace("Infinity", "1e999").replace("NaN", "-1e999")
        assert db.runs.insert(RunHead(FOREIGN, "gated", *times, document))
        for seq, step in enumerate(steps if isinstance(steps, list) else (), 1):
            text = (
                json.dumps(step.get("document") if isinstance(step, dict) else step)
                .replace("Infinity", "1e999")
                .replace("NaN", "-1e999")
            )
            assert db.runs.add_step(
                FOREIGN, RunStep(seq, clean_text(str(step_phase(step))), "2026-01-01T00:00:00Z", text)
            )


def step_phase(step: Any) -> Any:
    return step.get("phase", "draft") if isinstance(step, dict) else "draft"


def visit_page(workspace: Workspace, path: str, query: dict[str, str] | None = None, **parts: Any) -> str:
    """Return a view as the page renders it, or the message of its fault."""
    source = FolderSource([workspace.root])
    (listed,) = source.list_projects(Visitor("", ""))
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "path_params": parts}
    request = Request({**scope, "query_string": urlencode(query or {}).encode()})
    view = PageRequest(request, Visitor("", ""), source, listed.name, workspace, {})
    shown = answer_or_refuse(lambda: bytes(PAGES[path](view).body).decode())
    return str(shown)


def answer_or_refuse(ask: Callable[[], Any]) -> Any:
    """Return an answer, or the message of its fault, which is no bug in Aurora."""
    fault: Fault | None = None
    try:
        return ask()
    except Fault as caught:
        fault = caught
    assert fault.code is not Code.INTERNAL_ERROR, (fault.message, fault.details)
    return fault.message


def ask_everything(workspace: Workspace, run: str) -> dict[str, Any]:
    """Show a run in every way: the outputs, or the messages of faults, none of which is a bug in Aurora."""
    found: dict[str, Any] = {}
    calls: dict[str, dict[str, Any]] = {
        "runs.show": {"run": run},
        "runs.show step": {"run": run, "step": 1},
        "runs.status": {"run": run},
        "runs.export": {"run": run},
        "workflow.explain": {"run": run},
    }
    for name, arguments in calls.items():
        found[name] = answer_or_refuse(partial(call_tool, workspace, name.partition(" ")[0], arguments))
    for step in range(7):
        found[f"page {step}"] = visit_page(workspace, "/runs/{run}", {"step": str(step)}, run=run)
    found["case"] = visit_page(workspace, "/runs/{run}/case", run=run)
    return found


def list_all(workspace: Workspace) -> dict[str, str]:
    """List the runs by every tool and view that lists them; return the states by name."""
    shown = visit_page(workspace, "/runs")
    listed = call_tool(workspace, "runs.list", {})["runs"]
    assert all(f"/runs/{run['run']}" in shown for run in listed)
    call_tool(workspace, "runs.list", {"text": "task", "status": "open"})
    return {run["run"]: run["status"] for run in listed}


def check_record(workspace: Workspace, own: str, record: dict[str, Any]) -> dict[str, Any]:
    """Insert a record, show it in every way, and return the outputs; all other runs are listed and shown as before."""
    insert_record(workspace, record)
    assert set(list_all(workspace)) == {own, FOREIGN}
    assert call_tool(workspace, "runs.show", {"run": own})["total_steps"] == len(workspace.memory.journal.steps(own))
    return ask_everything(workspace, FOREIGN)


@pytest.fixture
def own(workspace: Workspace) -> str:
    return walk(workspace)


def test_an_intact_foreign_run_is_shown_in_every_way(workspace: Workspace, own: str) -> None:
    found = check_record(workspace, own, read_record(workspace, own))
    assert found["runs.show"]["total_steps"] == 6
    assert found["runs.status"]["phase"] == "approve"
    assert "Not ready: once more." in found["runs.export"]["text"]
    assert "Timeline" in found["page 2"]
    assert "no Aurora of this version wrote its record" not in found["page 2"]


HEADS = {"tokens": [0], "next": 1.5, "status": [], "phase": {}, "budget": "x", "origin": 3, "output": [], "version": 1}
STEPS: dict[str, Any] = {
    "decision": [5],
    "phase": [],
    "inputs": ["a"],
    "edge": 5,
    "at": 1e999,
    "error": "x",
    "by": 7,
    "asks": "a",
    "brought": 1,
    "response": [],
    "kind": {},
    "branches": [1],
    "index": "0",
    "tokens": 10**30,
    "status": None,
}


@pytest.mark.parametrize("name", HEADS)
def test_a_run_with_a_wrong_field_is_listed_as_damaged_and_shown_by_a_fault_that_names_the_field(
    workspace: Workspace, own: str, name: str
) -> None:
    record = read_record(workspace, own)
    record["head"]["document"][name] = HEADS[name]
    found = check_record(workspace, own, record)

    assert list_all(workspace) == {own: "waiting", FOREIGN: "damaged"}
    assert all(f'run "{FOREIGN}" is damaged: "{name}" must be' in str(message) for message in found.values())


@pytest.mark.parametrize("name", STEPS)
def test_a_run_with_a_wrong_step_is_listed_and_shown_by_a_fault_that_names_the_field(
    workspace: Workspace, own: str, name: str
) -> None:
    record = read_record(workspace, own)
    record["steps"][2]["document"][name] = STEPS[name]
    found = check_record(workspace, own, record)

    wrong = f'step 3 of run "{FOREIGN}" is damaged: '
    del found["workflow.explain"]  # of a foreign run in a file, it shows nothing
    assert all(wrong in str(message) for message in found.values())


def test_a_run_whose_values_are_nested_deeply_is_shown(workspace: Workspace, own: str) -> None:
    record, deep = read_record(workspace, own), []
    for _ in range(450):
        deep = [deep]
    record["steps"][1]["document"]["brought"] = [deep]
    record["steps"][0]["document"]["inputs"]["task"] = deep
    found = check_record(workspace, own, record)
    assert found["runs.show step"]["steps"][0]["inputs"]
    assert found["runs.export"]["steps"] == 6


def test_a_record_that_lacks_fields_is_shown_without_its_rules(workspace: Workspace, own: str) -> None:
    record = read_record(workspace, own)
    for name in ("key", "fingerprint"):
        del record["steps"][1]["document"][name]
    found = check_record(workspace, own, record)
    assert found["runs.show"]["total_steps"] == 6
    assert "no Aurora of this version wrote its record" in found["page 2"]


@pytest.mark.parametrize(
    ("line", "change", "told"),
    [
        (0, {"next": 1.5}, '"next" must be a text or null'),
        (2, {"decision": [5]}, '"decision" must be a list of objects'),
        (1, {"inputs": []}, '"inputs" must be an object'),
        (1, {"edge": {"target": "look"}}, '"edge" has no "token"'),
    ],
)
def test_an_import_names_the_line_with_a_wrong_field_and_imports_nothing(
    workspace: Workspace, own: str, line: int, change: dict[str, Any], told: str
) -> None:
    record = read_record(workspace, own)
    lines = [record["head"], *record["steps"]]
    lines[line]["document"] |= change
    text = ['{"aurora":"memory","version":1}', *(json.dumps({**one, "run": FOREIGN}) for one in lines)]
    with pytest.raises(Fault, match=f"line {line + 2}: in its document, {told}") as caught:
        import_records(workspace.memory.store, [one.encode() for one in text], "ex.jsonl")
    assert caught.value.code is Code.INVALID_INPUT
    assert len(caught.value.details["problems"]) == 1
    assert list_all(workspace) == {own: "waiting"}


def test_an_import_refuses_a_run_whose_time_is_none(workspace: Workspace, own: str) -> None:
    head = {**read_record(workspace, own)["head"], "run": FOREIGN, "updated_at": "yesterday"}
    text = ['{"aurora":"memory","version":1}', json.dumps(head)]
    with pytest.raises(Fault, match='line 2: "updated_at" must be a time'):
        import_records(workspace.memory.store, [one.encode() for one in text], "ex.jsonl")


def test_a_check_finds_a_wrong_field_and_a_repair_removes_what_has_it(workspace: Workspace, own: str) -> None:
    record = read_record(workspace, own)
    record["steps"][4]["document"]["edge"] = 5
    insert_record(workspace, record)
    memory = workspace.memory
    server = workspace.server is not None

    def check() -> list[str]:
        return [one.message for one in (check_store(memory.store) if server else check_memory(memory.path))]

    def repair() -> tuple[str, ...]:
        if server:
            return tuple(repair_store(memory.store, workspace.root, ignore_progress).lost)
        return tuple(repair_memory(memory.path, workspace.root, ignore_progress).lost)

    assert f'step 5 of run "{FOREIGN}" is damaged: "edge" must be an object or null' in check()
    lost = repair()
    assert f'step 5 of run "{FOREIGN}"' in lost
    assert check() == []
    assert call_tool(workspace, "runs.show", {"run": FOREIGN})["total_steps"] == 4

    record["head"]["document"]["next"] = 5
    insert_record(workspace, record)
    assert f'run "{FOREIGN}" is damaged: "next" must be a text or null' in check()
    repair()
    assert check() == []
    assert list_all(workspace) == {own: "waiting"}


def test_whatever_a_foreign_record_contains_nothing_ends_in_a_bug(workspace: Workspace, own: str) -> None:
    whole = read_record(workspace, own)
    places = [place for place in list_places(whole) if len(place) > 1 and place[-1] not in {"run", "record"}]
    values = st.sampled_from([*ODD, REMOVED]) | VALUES
    changes = st.lists(st.tuples(st.sampled_from(places), values), min_size=1, max_size=3)

    @settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
    @given(changes)
    def check(given_changes: list[tuple[Place, Any]]) -> None:
        record = json.loads(json.dumps(whole))
        for place, value in given_changes:
            change_value(record, place, value)
        if isinstance(record["head"], dict):
            check_record(workspace, own, record)

    check()
