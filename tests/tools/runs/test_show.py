"""A long run is shown in pages that fit into one response and contain every step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEPS = 120


def kept(seq: int) -> dict[str, Any]:
    """A step as the journal keeps it."""
    return {
        "seq": seq,
        "status": "complete",
        "inputs": {"query": f"question {seq} " * 40, "subgoals": [{"id": f"s{seq}"}, {"id": "other"}]},
        "brought": [{"answer": "because " * 200}],
        "result": {"verdict": "PASS", "score": 0.9, "empty": [], "nothing": None},
        "asks": None,
        "edge": {"token": "verify", "target": "verify", "rule": 0, "spent": False, "say": "", "early_exit": False},
        "decision": [{"rule": 1, "then": "verify", "fired": True, "when": "score > `0.5`"}],
        "response": {"metadata": {"duration_ms": 1.5}},
    }


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A project with one long run."""
    head = {"workflow": "soar", "version": "1.0.0", "status": "open", "phase": "verify", "next": "verify"}
    with Workspace(tmp_path) as opened:
        opened.memory.journal.create("long", "soar", head, [("verify", kept(seq)) for seq in range(1, STEPS + 1)])
        yield opened


def test_pages_fit_into_a_response_and_contain_every_step(workspace: Workspace) -> None:
    seen: list[int] = []
    offset: int | None = 0
    while offset is not None:
        page = call_tool(workspace, "runs.show", {"run": "long", "offset": offset})
        assert len(json.dumps(page, separators=(",", ":"), ensure_ascii=False)) < 19_000
        assert page["total_steps"] == STEPS
        seen += [step["seq"] for step in page["steps"]]
        offset = page.get("next_offset")

    assert seen == list(range(1, STEPS + 1))


def test_in_a_page_each_value_is_one_short_line(workspace: Workspace) -> None:
    step = call_tool(workspace, "runs.show", {"run": "long"})["steps"][0]

    assert len(step["inputs"]["query"]) == 120
    assert step["inputs"]["query"].endswith("…")
    assert step["inputs"]["subgoals"] == "2: s1, other"
    assert step["result"] == {"verdict": "PASS", "score": 0.9}


def test_one_step_is_shown_with_complete_values(workspace: Workspace) -> None:
    (step,) = call_tool(workspace, "runs.show", {"run": "long", "step": 7})["steps"]

    assert step["inputs"] == kept(7)["inputs"]
    assert step["brought"] == kept(7)["brought"][0]
    assert step["decision"] == kept(7)["decision"]
    assert step["duration_ms"] == 1.5


def test_an_unknown_run_is_not_found(workspace: Workspace) -> None:
    with pytest.raises(Fault) as caught:
        call_tool(workspace, "runs.show", {"run": "other"})

    assert caught.value.code is Code.NOT_FOUND
    assert caught.value.help == "`aur runs list` shows the runs of this project."
