"""Evidence: excerpts within a number of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from aurora.memory import Chunk
from aurora.tools.reasoning.context.evidence import EvidenceLimits, RankedChunk, build_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


LIMITS = EvidenceLimits(chunks=5, chars=3000, weak_below=0.5)


def chunk(number: int, text: str, path: str | None = None) -> Chunk:
    place = path or f"src/file{number}.py"
    return Chunk(f"code:{number}", "code", place, 1, 9, f"name{number}", "function", "python", text)


def rank(*scores: float, text: str = "value = 1\n" * 60) -> list[RankedChunk]:
    return [RankedChunk(chunk(number, text), score) for number, score in enumerate(scores)]


def test_the_best_chunks_are_whole_and_the_others_short() -> None:
    found = build_evidence(rank(0.9, 0.8, 0.7, 0.6), "value", EvidenceLimits(chunks=5, chars=2200, weak_below=0.5))
    whole = [one.text.splitlines()[-1] == "60:value = 1" for one in found]
    assert whole == [True, False, False, False]
    assert all(100 < len(one.text) <= 320 for one in found[2:])
    assert not any(one.weak for one in found)


def test_no_chunk_takes_the_room_of_all_others() -> None:
    found = build_evidence(rank(0.9, 0.8, text=f"value = {'1' * 60}\n" * 60), "value", LIMITS)
    assert all(1000 < len(one.text) <= 1350 for one in found)


def test_a_chunk_that_fits_much_worse_is_weak_and_short() -> None:
    found = build_evidence(rank(0.9, 0.2), "value", EvidenceLimits(chunks=5, chars=2000, weak_below=0.6))
    assert [one.weak for one in found] == [False, True]
    assert len(found[1].text) <= 320 < len(found[0].text)


def test_secrets_are_masked() -> None:
    ranked = [RankedChunk(chunk(1, f"token = '{SECRET}'\nother = 2\n"), 0.9)]
    found = build_evidence(ranked, "token", EvidenceLimits(chunks=1, chars=800, weak_below=0))
    assert SECRET not in str(found)


@given(
    st.lists(st.floats(0, 1), max_size=12),
    st.integers(0, 12),
    st.integers(0, 6000),
    st.floats(0, 1),
    st.text(alphabet="ab =\n", max_size=900),
)
def test_evidence_keeps_its_limits(scores: list[float], chunks: int, chars: int, weak: float, text: str) -> None:
    ranked = rank(*sorted(scores, reverse=True), text=text)
    found = build_evidence(ranked, "a b", EvidenceLimits(chunks=chunks, chars=chars, weak_below=weak))
    assert len(found) <= chunks
    assert sum(len(one.id) + len(one.path or "") + len(one.symbol) + len(one.text) for one in found) <= chars
    assert [one.id for one in found] == [one.chunk.id for one in ranked[: len(found)]]


def test_a_simple_question_is_answered_from_texts(use: Use, workspace: Workspace) -> None:
    index(workspace)
    found = use("retrieve", {"query": "where is tick defined", "complexity": "SIMPLE"})
    assert "return clock.time" in found["evidence"][0]["text"]
    assert "evidence" not in use("retrieve", {"query": "where is tick defined", "complexity": "MEDIUM"})


def test_each_due_task_has_evidence_of_its_own(use: Use, workspace: Workspace) -> None:
    index(workspace)
    task = {"agent": None, "reason": "", "depends_on": [], "critical": True, "wave": 1}
    tasks = [
        {**task, "id": "s1", "description": "Read how tick reads the clock"},
        {**task, "id": "s2", "description": "Read how greet spells the name"},
    ]
    due = use("collect", {"plan": {"tasks": tasks, "waves": [["s1", "s2"]]}})["tasks"]
    assert [one["evidence"][0]["path"] for one in due] == ["clock.py", "greet.py"]


def index(workspace: Workspace) -> None:
    (workspace.root / "clock.py").write_text("def tick(clock):\n    return clock.time\n", encoding="utf-8")
    (workspace.root / "greet.py").write_text("def greet(name):\n    return name.title()\n", encoding="utf-8")
    workspace.memory.index(workspace.root)
