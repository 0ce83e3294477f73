from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_keeps_its_steps_in_order_and_its_last_document(memory: Memory) -> None:
    journal = memory.journal
    journal.create("k3f9", "soar@1.0.0", {"at": "assess"}, [("assess", {"result": {"complexity": "SIMPLE"}})])
    journal.append("k3f9", 2, [("retrieve", {"result": {"chunks": []}})], {"at": "retrieve"})
    head = journal.head("k3f9")
    assert head is not None
    assert (head.workflow, head.steps, head.document) == ("soar@1.0.0", 2, {"at": "retrieve"})
    assert head.created_at <= head.updated_at
    assert [(step.seq, step.phase) for step in journal.steps("k3f9")] == [(1, "assess"), (2, "retrieve")]
    assert journal.steps("k3f9")[0].document == {"result": {"complexity": "SIMPLE"}}


def test_a_new_run_can_start_with_several_steps(memory: Memory) -> None:
    memory.journal.create("fork", "soar", {}, [("assess", {"n": 1}), ("retrieve", {"n": 2})])
    assert [(step.seq, step.document["n"]) for step in memory.journal.steps("fork")] == [(1, 1), (2, 2)]


def test_the_same_run_twice_is_a_conflict_and_the_first_one_stays(memory: Memory) -> None:
    memory.journal.create("r", "soar", {"first": True}, [("assess", {})])
    with pytest.raises(Fault, match='"r" exists already') as caught:
        memory.journal.create("r", "soar", {"first": False}, [])
    assert caught.value.code is Code.CONFLICT
    head = memory.journal.head("r")
    assert head is not None
    assert head.document == {"first": True}


def test_the_same_step_twice_is_a_conflict_and_neither_step_nor_head_change(memory: Memory) -> None:
    memory.journal.create("r", "soar", {"head": 1}, [("assess", {"n": 1})])
    with pytest.raises(Fault, match='step 1 of run "r"') as caught:
        memory.journal.append("r", 1, [("retrieve", {"n": 2})], {"head": 2})
    assert caught.value.code is Code.CONFLICT
    head = memory.journal.head("r")
    assert head is not None
    assert head.document == {"head": 1}
    assert [step.document for step in memory.journal.steps("r")] == [{"n": 1}]


def test_a_step_of_a_run_that_does_not_exist_is_not_found(memory: Memory) -> None:
    with pytest.raises(Fault, match='no run "ghost"') as caught:
        memory.journal.append("ghost", 1, [("assess", {})], {})
    assert caught.value.code is Code.NOT_FOUND
    assert memory.journal.head("ghost") is None
    assert memory.journal.steps("ghost") == ()


def test_the_newest_runs_come_first_page_by_page(memory: Memory) -> None:
    for i in range(7):
        memory.journal.create(f"r{i}", "soar", {}, [])
    assert [row.run for row in memory.journal.runs(3)] == ["r6", "r5", "r4"]
    assert [row.run for row in memory.journal.runs(3, 3)] == ["r3", "r2", "r1"]
    assert memory.journal.runs(0) == ()
    assert memory.stats().runs == 7


def test_documents_come_back_as_they_were_whatever_text_is_in_them(memory: Memory) -> None:
    document = {"text": 'NUL \x00, 漢字, 👩‍🚀, "quotes"', "deep": [[{"a": [None, 1.5, True]}]]}
    memory.journal.create("r", "soar", document, [("assess", document)])
    head = memory.journal.head("r")
    assert head is not None
    assert head.document == document
    assert memory.journal.steps("r")[0].document == document


def test_half_of_a_character_comes_back_as_a_question_mark(memory: Memory) -> None:
    document = {"text": "half \ud800 of 👩‍🚀", "\udfff": ["\udce9"]}
    memory.journal.create("r", "soar", document, [("assess", document)])
    head = memory.journal.head("r")
    assert head is not None
    assert head.document == {"text": "half ? of 👩‍🚀", "?": ["?"]}
    assert memory.journal.steps("r")[0].document == head.document


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("bad", [{"x": object()}, {"x": float("nan")}, {"x": _nested(100_000)}])
def test_a_document_that_is_not_json_is_rejected_and_leaves_no_partial_run(memory: Memory, bad: dict[str, Any]) -> None:
    with pytest.raises(Fault) as caught:
        memory.journal.create("r", "soar", {}, [("assess", {}), ("retrieve", bad)])
    assert caught.value.code is Code.INVALID_INPUT
    assert memory.journal.head("r") is None


def test_exactly_one_of_many_threads_appends_a_step(memory: Memory) -> None:
    memory.journal.create("r", "soar", {}, [("assess", {})])

    def append(i: int) -> Code | None:
        try:
            memory.journal.append("r", 2, [("retrieve", {"n": i})], {"n": i})
        except Fault as fault:
            return fault.code
        return None

    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(append, range(24)))
    assert sorted(outcomes, key=str) == [Code.CONFLICT] * 23 + [None]
    head, (_, step) = memory.journal.head("r"), memory.journal.steps("r")
    assert head is not None
    assert head.document == step.document


def test_a_step_is_durable_when_append_returns(database: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from aurora.memory import Memory\n"
        "m = Memory.open(Path(sys.argv[1]))\n"
        "m.journal.create('r', 'soar', {'n': 1}, [('assess', {})])\n"
        "m.journal.append('r', 2, [('retrieve', {'n': 2})], {'n': 2})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(database)], check=False).returncode == -9
    with Memory.open(database) as memory:
        head = memory.journal.head("r")
        assert head is not None
        assert (head.steps, head.document) == (2, {"n": 2})


def test_the_first_steps_the_states_and_the_latest_change_of_runs_are_read_without_their_other_steps(
    memory: Memory,
) -> None:
    journal = memory.journal
    assert journal.latest_change() == (0, "")
    assert journal.count_states() == {}
    journal.create("r", "soar", {"status": "ended"}, [("assess", {"n": 1}), ("retrieve", {"n": 2})])
    journal.create("s", "soar", {"status": "waiting"}, [("scope", {"n": 3})])
    journal.create("t", "soar", {}, [])
    first = journal.first_steps(["r", "s", "t", "ghost"])
    assert {run: (step.seq, step.phase, step.document["n"]) for run, step in first.items()} == {
        "r": (1, "assess", 1),
        "s": (1, "scope", 3),
    }
    assert journal.count_states() == {"ended": 1, "open": 1, "waiting": 1}
    count, before = journal.latest_change()
    assert count == 3
    journal.append("s", 2, [("approve", {})], {"status": "open"})
    assert journal.latest_change()[1] >= before
    assert journal.count_states() == {"ended": 1, "open": 2}
