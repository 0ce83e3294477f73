"""Calls beyond the limit are refused, and a timeout leaves no incomplete change."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.memory.index import TOOL as INDEX
from aurora.tools.runtime.dispatch import MAX_CONCURRENT_CALLS, CallLimiter, call_tool, read_max_calls

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace


def test_a_call_beyond_the_limit_is_refused_until_another_ends() -> None:
    gate = CallLimiter(2)
    entered, leave = threading.Barrier(3), threading.Event()

    def call() -> None:
        with gate.admit_call():
            entered.wait(10)
            leave.wait(10)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    entered.wait(10)
    with pytest.raises(Fault, match="2 calls are running") as caught, gate.admit_call():
        pytest.fail("a third was taken")
    assert caught.value.code is Code.RATE_LIMITED
    assert caught.value.details == {"limit": 2}
    leave.set()
    for thread in threads:
        thread.join()
    with gate.admit_call():
        pass


def test_a_call_within_a_call_is_not_counted_again() -> None:
    gate = CallLimiter(1)
    with gate.admit_call(), gate.admit_call():
        pass


def test_who_waits_for_quiet_waits_for_running_calls_and_not_forever() -> None:
    gate = CallLimiter(1)
    with gate.admit_call():
        gate.wait_until_quiet(0, 0.05)
        waiting = threading.Thread(target=gate.wait_until_quiet, args=(0, 600), daemon=True)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    waiting.join(60)
    assert not waiting.is_alive()
    gate.wait_until_quiet(600, 0.05)  # one has just ended
    CallLimiter(1).wait_until_quiet(600, 600)  # there was none


@pytest.mark.parametrize(("said", "meant"), [("7", 7), ("", MAX_CONCURRENT_CALLS), (" ", MAX_CONCURRENT_CALLS)])
def test_the_environment_sets_the_number(said: str, meant: int) -> None:
    assert read_max_calls({"AURORA_CALLS_AT_ONCE": said}) == meant


def test_a_call_that_timed_out_leaves_no_incomplete_change(workspace: Workspace) -> None:
    for number in range(60):
        text = "\n\n".join(f"def work_{number}_{part}(value):\n    return {part}" for part in range(40))
        (workspace.root / f"part_{number}.py").write_text(text + "\n", encoding="utf-8")
    told = threading.Event()

    def slow(given: Any, context: Any) -> Any:
        def report(done: float, total: float | None, message: str) -> None:
            if done > 30:
                told.wait(60)
            context.progress(done, total, message)

        return INDEX.run(given, context._replace(progress=report))

    hasty = ToolRegistry.from_tools([replace(INDEX, run=slow, timeout=1.0)])
    with pytest.raises(Fault, match="took longer than 1 s") as caught:
        call_tool(workspace, "mem.index", {}, tools=hasty)
    assert caught.value.code is Code.TIMEOUT
    told.set()
    # The work that nobody waits for ends at its next report; what it wrote is whole, and the next call completes it.
    for thread in threading.enumerate():
        while thread.name == "tool mem.index":
            thread.join(0.05)  # it is kept for the next call, and only its name tells that it has nothing to do
    half: dict[str, int] = _chunks_by_file(workspace)
    call_tool(workspace, "mem.index", {})
    whole = _chunks_by_file(workspace)
    assert len(whole) == 62
    assert {path: count for path, count in half.items() if count != whole[path]} == {}


def _chunks_by_file(workspace: Workspace) -> dict[str, int]:
    found: dict[str, Any] = {}
    for path in sorted(one.relative_to(workspace.root).as_posix() for one in workspace.root.rglob("*.*")):
        hits = workspace.memory.search(path.rpartition("/")[2], limit=100, path_glob=path).hits
        if hits:
            found[path] = len(hits)
    return found
