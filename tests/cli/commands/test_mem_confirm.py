"""`aur mem confirm`: a person confirms a record at a real terminal; `aur mem why` tells where it comes from."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import mark_text
from aurora.tools.core import PHASE_TOOLS, PhaseOrigin, ToolRegistry
from aurora.tools.runtime import Workspace, call_tool

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]
QUESTION = "How does the lock work?"
PARAMS = {"weights": {"done": 0.6, "verified": 0.4}, "pattern_from": 0.8, "cached_from": 0.5, "gist_chars": 1500}


GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { cited: { type: array, items: { type: string } } }
    person: { message: "Is it right?", form: { sure: { type: boolean } }, on_decline: end }
    next_action: record
  record:
    inputs:
      cited: { from: inputs.cited, type: array, items: { type: string } }
    uses: pattern.record
    with: { query: "'Who locks?'", response: "'The door.'", citations: cited, confidence: "`1.0`", verified: "`1.0`" }
    params: { weights: { done: 0.6, verified: 0.4 }, pattern_from: 0.8, cached_from: 0.5, gist_chars: 1500 }
    next_action: end
"""


@pytest.fixture
def answer(project: Path) -> str:
    """An answer of a run that cites a file."""
    (project / "lock.py").write_text("def lock(door):\n    door.locked = True\n", encoding="utf-8")
    with Workspace(project) as workspace:
        workspace.memory.index(project)
        cited = [hit.chunk.id for hit in workspace.memory.search("lock", path_glob="lock.py").hits]
        given = {
            "query": QUESTION,
            "response": "It turns.\u200b",
            "citations": cited,
            "confidence": 1.0,
            "verified": 1.0,
        }
        phase = PhaseOrigin("soar", "r-1")
        return str(call_tool(workspace, "pattern.record", given, params=PARAMS, phase=phase)["id"])


def why(aur: Aur, id_: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(aur("mem", "why", id_, "--json").stdout)
    return shown


def test_a_person_confirms_and_revokes(aur: Aur, terminal: Any, answer: str) -> None:
    code, shown = terminal("mem", "confirm", answer, answer="y\n")
    assert code == 0, shown
    assert "Answer: It turns.\\u200b" in shown
    confirmed = why(aur, answer)["confirmed"]
    assert confirmed["how"] == "terminal"
    assert confirmed["by"]
    assert aur("mem", "confirm", answer, "--revoke").returncode == 0
    assert "confirmed" not in why(aur, answer)


def test_a_no_confirms_nothing(aur: Aur, terminal: Any, answer: str) -> None:
    code, shown = terminal("mem", "confirm", answer, answer="n\n")
    assert code == 1
    assert "not confirmed" in shown
    assert "confirmed" not in why(aur, answer)


def test_a_pipe_confirms_nothing(aur: Aur, answer: str) -> None:
    done = aur("mem", "confirm", answer, input="y\n")
    assert done.returncode != 0
    assert "not a terminal" in done.stderr
    assert "confirmed" not in why(aur, answer)


def test_no_tool_confirms() -> None:
    assert "mem.why" in PHASE_TOOLS
    assert not [name for name in ToolRegistry().names() if "confirm" in name]


@pytest.mark.parametrize(("text", "state"), [("door.locked = None", "changed"), (None, "gone")])
def test_why_tells_the_origin_and_the_state_of_each_citation(
    aur: Aur, project: Path, answer: str, text: str | None, state: str
) -> None:
    told = why(aur, answer)
    assert (told["question"], told["workflow"], told["run"]) == (mark_text(QUESTION), "soar", "r-1")
    assert told["at"].endswith("Z")
    assert [(one["path"], one["state"]) for one in told["citations"]] == [("lock.py", "unchanged")]
    assert "doubtful" not in told
    if text is None:
        (project / "lock.py").unlink()
    else:
        (project / "lock.py").write_text(f"def lock(door):\n    {text}\n", encoding="utf-8")
    told = why(aur, answer)
    assert [one["state"] for one in told["citations"]] == [state]
    assert told["doubtful"]
    shown = aur("mem", "why", answer).stdout
    assert "doubtful" in shown
    assert state in shown


def test_why_names_what_replaced_a_record_and_refuses_a_chunk_of_a_file(aur: Aur, project: Path, answer: str) -> None:
    with Workspace(project) as workspace:
        cited = workspace.memory.get([answer])[0].metadata["citations"][0]["id"]
        given = {"query": QUESTION, "response": "Anew.", "citations": [cited], "confidence": 1.0, "verified": 1.0}
        newer = call_tool(workspace, "pattern.record", given, params=PARAMS)["id"]
    told = why(aur, answer)
    assert told["id"] == newer
    assert "was replaced by" in told["note"]
    done = aur("mem", "why", cited)
    assert done.returncode != 0
    assert "is a chunk of lock.py" in done.stderr


def test_a_person_gate_directly_before_the_record_confirms_it(
    aur: Aur, terminal: Any, project: Path, answer: str
) -> None:
    file = project / ".aurora" / "workflows" / "gate.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(GATE, encoding="utf-8")
    with Workspace(project) as workspace:
        cited = workspace.memory.get([answer])[0].metadata["citations"][0]["id"]
    begun = aur("workflow", "step", "ask", "--workflow", "gate", "--input", f'cited=["{cited}"]', "--json")
    run = json.loads(begun.stdout)["run"]
    code, shown = terminal("runs", "approve", run, "--set", "sure=true", answer="y\n")
    assert code == 0, shown
    with Workspace(project) as workspace:
        found = [hit.chunk for hit in workspace.memory.search("Who locks?", types=("reas",)).hits]
    (record,) = [chunk for chunk in found if chunk.metadata["query"] == "Who locks?"]
    assert (record.metadata["workflow"], record.metadata["run"]) == ("gate", run)
    assert record.metadata["confirmed"]["how"] == "terminal"
