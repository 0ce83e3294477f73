"""Limits of calls: their time, their number at once, and the threads in which they run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from aurora.errors import Code, Fault, extend_time
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.memory.index import TOOL as INDEX
from aurora.tools.runtime.dispatch import (
    CallLimiter,
    call_tool,
    resolve_timeout,
    run_with_timeout,
)
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.tools.core.context import ProgressCallback


WRITING = [tool for tool in ToolRegistry().load_all() if tool.risk != "read" and tool.name != "command.run"]
"""The tools that write to the project themselves; what a program writes is its own affair."""
EXPORT = ".aurora/exports/memory.jsonl"
# They write to the database, and so have to wait for another process that does.
KEPT_WAITING: dict[str, dict[str, Any]] = {
    "mem.add": {"text": "Snow fell on the branch."},
    "mem.consolidate": {"min_similarity": 0.5},
    "mem.forget": {},
    "mem.import": {"path": EXPORT},
    "mem.index": {},
    "mem.restore": {},
    "mem.undo": {},
    "pattern.record": {"confidence": 1.0, "verified": 1.0},
}

_CACHES = frozenset({"logs", "checked-workflows"})


def state(*folders: Path) -> dict[str, str]:
    """What every file holds, but for the log of calls; of a database, the rows, for SQLite moves its pages about.

    What is kept of a check is no change that a call reports: the next one would find the same.
    A folder that was made for a file which then was not written may be left: it holds nothing. The key of the account
    is made at its first use, by whatever call that is, and is none of its changes.
    """
    return {
        str(path): _held(path)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not _CACHES & {*path.parts}
        and not path.name.endswith(("-wal", "-shm"))
        and not path.name.lstrip(".").startswith("account.key")
    }


def _held(path: Path) -> str:
    if path.name != "memory.db":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with closing(apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)) as db:
        names = [str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
        rows = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in names if name != "sqlite_stat1"}  # noqa: S608 - its own names
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def workers_end() -> None:
    """Wait for whatever a cancelled call still has running."""
    while working := [one for one in threading.enumerate() if one.name.startswith("tool ")]:
        working[0].join(0.05)  # it is kept for the next call, and only its name tells that it has nothing to do


@pytest.fixture(scope="module")
def busy(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The filled project with more to do: what could be merged, imported and taken back, and files to be indexed."""
    root = tmp_path_factory.mktemp("busy") / "project"
    shutil.copytree(filled, root)
    with Workspace(root) as workspace:
        for text in ("Files are skipped when they are too large.", "Files are skipped if they are too large."):
            call_tool(workspace, "mem.add", {"text": text})
        rain = call_tool(workspace, "mem.add", {"text": "Rain fell on the release."})["id"]
        call_tool(workspace, "mem.export", {"path": EXPORT})
        call_tool(workspace, "mem.forget", {"ids": [rain]})
    for number in range(30):
        text = "\n\n".join(f"def work_{number}_{part}(value):\n    return {part}" for part in range(20))
        (root / f"part_{number}.py").write_text(f"{text}\n", encoding="utf-8")
    return root


@pytest.fixture
def project(  # the home must be empty
    busy: Path,
    tmp_path: Path,
    own_home: Path,  # noqa: ARG001
    aur_program: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    monkeypatch.setenv("PATH", f"{Path(aur_program).parent}:{os.environ['PATH']}")
    root = tmp_path / "project"
    shutil.copytree(busy, root)
    return root


def late(workspace: Workspace, name: str, arguments: Mapping[str, Any], params: Mapping[str, Any]) -> Fault | None:
    """What it says past its limit; None when it came in time."""
    told = None
    try:
        call_tool(workspace, name, arguments, params=params, surface="cli")
    except Fault as fault:
        told = fault
    assert told is None or told.code is Code.TIMEOUT, told.message
    return told


@pytest.mark.parametrize("name", KEPT_WAITING)
def test_a_write_after_the_timeout_is_not_committed(
    name: str, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = ToolRegistry().find(name).examples[0]
    fixed = {} if name in {"mem.import", "mem.consolidate"} else example.arguments
    arguments = {**fixed, **KEPT_WAITING[name]}
    monkeypatch.setenv("AURORA_TIMEOUT", "0.4")
    with Workspace(project) as workspace, closing(apsw.Connection(str(workspace.memory.path))) as other:
        if name == "pattern.record":
            arguments["query"] = "Which files are there?"
            arguments["citations"] = [
                workspace.memory.search("files", types=("know",), path_glob="*.md").hits[0].chunk.id
            ]
        before = state(project, home)
        other.execute("BEGIN IMMEDIATE")
        fault = late(workspace, name, arguments, example.params)
        assert fault is not None
        told = state(project, home)
        other.execute("ROLLBACK")
        workers_end()
        assert state(project, home) == told
        if not fault.details["changes"]:
            assert "nothing was changed" in fault.message
            assert told == before
        monkeypatch.delenv("AURORA_TIMEOUT")
        call_tool(workspace, name, arguments, params=example.params)
        assert state(project, home) != told


@pytest.mark.parametrize("limit", ["0.01", "0.2"])
@pytest.mark.parametrize("name", [tool.name for tool in WRITING])
def test_the_timeout_fault_reports_the_true_state_of_the_project(
    name: str, limit: str, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = ToolRegistry().find(name).examples[0]
    with Workspace(project) as workspace:
        assert workspace.memory.has_been_indexed()
        before = state(project, home)
        monkeypatch.setenv("AURORA_TIMEOUT", limit)
        fault = late(workspace, name, example.arguments, example.params)
        told = state(project, home)
        workers_end()
        if fault is not None:
            assert state(project, home) == told
            assert (fault.details["changes"] == 0) == (told == before), fault.message


@pytest.mark.parametrize("name", ["mem.add", "mem.index", "workflow.new", "init.run", "doctor.fix"])
def test_the_timeout_fault_is_true_in_a_new_project_as_well(
    name: str, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("0.001", "0.02", "0.1"):
        monkeypatch.setenv("AURORA_TIMEOUT", limit)
        with Workspace(root) as workspace:
            fault = late(workspace, name, ToolRegistry().find(name).examples[0].arguments, {})
            told = state(root, home)
            workers_end()
        if fault is not None:
            assert state(root, home) == told
        shutil.rmtree(root / ".aurora", ignore_errors=True)


def test_a_timeout_on_the_command_line_leaves_no_incomplete_change(project: Path, home: Path, aur_program: str) -> None:
    def aur(*words: str, **environ: str) -> Any:
        done = subprocess.run(
            [aur_program, *words, "--json"],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(home), **environ},
        )
        return done.returncode, json.loads(done.stdout)

    before = state(project, home)
    for words in (("mem", "add", "It rained."), ("workflow", "new", "tea"), ("mem", "backup")):
        code, told = aur(*words, AURORA_TIMEOUT="0.0001")
        assert (code, told["error"]["code"]) == (1, "TIMEOUT")
        after, changes = state(project, home), told["error"]["details"]["changes"]
        assert changes in (0, 1)  # on a busy machine the work may be done before the timeout is noticed
        assert (after != before) == bool(changes)
        before = after
    assert aur("mem", "index")[1]["added"] == 30  # the export is nobody's code


def test_indexing_resumes_after_a_timeout(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace(project) as workspace:
        for limit in ("0.001", "0.05", "0.2"):
            monkeypatch.setenv("AURORA_TIMEOUT", limit)
            late(workspace, "mem.index", {}, {})
            workers_end()
        monkeypatch.delenv("AURORA_TIMEOUT")
        done = call_tool(workspace, "mem.index", {})
        assert done["files"] == 31
        assert call_tool(workspace, "mem.check", {})["findings"] == []


def test_interrupted_work_cleans_up_before_the_caller_continues(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def work(report: ProgressCallback) -> None:
        begun.mkdir()
        for number in range(500):
            (begun / str(number)).touch()
        os.kill(os.getpid(), signal.SIGINT)
        try:
            while True:
                report(0, None, "at work")
        finally:
            shutil.rmtree(begun)

    with pytest.raises(KeyboardInterrupt):
        run_with_timeout(60, work, lambda _done, _total, _message: None, "interrupted")
    assert not begun.exists()


def test_work_with_a_limit_of_its_own_extends_the_timeouts_around_it() -> None:
    def work(report: ProgressCallback) -> str:
        def work_longer(inner: ProgressCallback) -> str:
            extend_time(30.0)
            threading.Event().wait(1.2)
            inner(1, None, "")
            extend_time(-30.0)
            return "done"

        return run_with_timeout(60.0, work_longer, report, "inner")

    assert run_with_timeout(1.0, work, lambda *_: None, "outer") == "done"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("2", 2), ("0.5", 0.5), ("99", 30), ("", 30)],
)
def test_the_environment_lowers_a_timeout_and_never_raises_it(said: str, seconds: float) -> None:
    assert resolve_timeout(30, {"AURORA_TIMEOUT": said}) == seconds


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


FORKED = """
import os, threading
from aurora.tools.runtime.dispatch import start_daemon

def ran():
    done = threading.Event()
    start_daemon(done.set, "tool")
    return done.wait(60)

assert ran()
child = os.fork()
if not child:
    os._exit(0 if ran() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and ran()
print("both")
"""


def test_a_forked_process_starts_its_own_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "both\n"
