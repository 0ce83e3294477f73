"""Every call is logged once without arguments; the log rotates and never fails a call."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.call_log import KEPT_FILES, CallRecord, append_line, list_files
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "a very private question"


@pytest.fixture
def kept(root: Path) -> Path:
    """A project that keeps a log."""
    (root / ".aurora").mkdir()
    return root


def lines(root: Path) -> list[dict[str, Any]]:
    """The lines, the oldest first; an empty one is none."""
    held = [line for path in reversed(list(list_files(root))) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in held if line]


@pytest.mark.requirement("auditgraph-16")
def test_each_call_is_one_line_with_its_outcome_and_without_arguments(kept: Path) -> None:
    with Workspace(kept) as workspace:
        call_tool(workspace, "mem.search", {"query": PRIVATE}, request_id="r1", surface="mcp")
        with pytest.raises(Fault):
            call_tool(workspace, "mem.get", {"path": PRIVATE})
        with pytest.raises(Fault):
            call_tool(workspace, "x" * 5000, {})
    found = lines(kept)
    assert [(line["tool"][:10], line["surface"], line["status"], line["code"]) for line in found] == [
        ("mem.search", "mcp", "ok", None),
        ("mem.get", "python", "error", "NOT_FOUND"),
        ("xxxxxxxxxx", "python", "error", "NOT_FOUND"),
    ]
    assert found[0]["request_id"] == "r1"
    assert all(line["request_id"] and line["duration_ms"] >= 0 for line in found)
    assert all(PRIVATE not in path.read_text() for path in list_files(kept))


def test_a_tool_of_a_phase_is_logged_with_the_request_id_of_its_step(kept: Path) -> None:
    with Workspace(kept) as workspace:
        call_tool(workspace, "workflow.step", {"phase": "assess", "query": PRIVATE}, request_id="r2", surface="mcp")
    assert [(line["tool"], line["surface"], line["request_id"]) for line in lines(kept)] == [
        ("complexity.assess", "phase", "r2"),
        ("workflow.step", "mcp", "r2"),
    ]


def test_a_response_with_an_error_is_logged_with_its_code(kept: Path) -> None:
    with Workspace(kept) as workspace:
        told = call_tool(workspace, "workflow.step", {"phase": "no_such"})
    assert told["error"]["code"] == lines(kept)[-1]["code"] == "NOT_FOUND"


@pytest.mark.parametrize("how", [{"read_only": True}, {}])
def test_nothing_is_logged_when_read_only_or_without_a_data_folder(root: Path, how: dict[str, bool]) -> None:
    if how:
        (root / ".aurora").mkdir()
    before = sorted(root.rglob("*"))
    with Workspace(root, **how) as workspace:
        call_tool(workspace, "tools.list", {})
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize("in_the_way", ["file", "folder", "link"])
def test_an_unwritable_log_fails_no_call(kept: Path, in_the_way: str, tmp_path: Path) -> None:
    if in_the_way == "file":
        (kept / ".aurora" / "logs").write_text("mine")
    elif in_the_way == "folder":
        (kept / ".aurora" / "logs" / "calls.jsonl").mkdir(parents=True)
    else:
        (kept / ".aurora" / "logs").mkdir()
        (kept / ".aurora" / "logs" / "calls.jsonl").symlink_to(tmp_path / "elsewhere")
    with Workspace(kept) as workspace:
        assert call_tool(workspace, "tools.list", {})
        assert call_tool(workspace, "logs.list", {})["calls"] == []
    assert not (tmp_path / "elsewhere").exists()


def test_rotation_keeps_the_newest_lines(kept: Path) -> None:
    for number in range(400):
        append_line(kept, json.dumps({"number": number}), largest=500)
    found = [line["number"] for line in lines(kept)]
    assert found == list(range(found[0], 400))
    assert found[0] > 0
    assert len(list(list_files(kept))) <= KEPT_FILES + 1
    assert sum(path.stat().st_size for path in list_files(kept)) < (KEPT_FILES + 1) * 600


def test_concurrent_processes_lose_no_line_during_rotation(kept: Path) -> None:
    program = (
        "import json, sys; from pathlib import Path; from aurora.tools.runtime.call_log import append_line\n"
        "for number in range(200): append_line(Path(sys.argv[1]), json.dumps([sys.argv[2], number]), largest=12_000)"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, str(kept), name]) for name in "abc"]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    found = [tuple(line) for line in lines(kept)]
    assert sorted(found) == sorted((name, number) for name in "abc" for number in range(200))


def test_a_torn_line_is_reported_and_does_not_damage_the_next_one(kept: Path) -> None:
    with Workspace(kept) as workspace:
        call_tool(workspace, "mem.stats", {})
        with next(list_files(kept)).open("ab") as file:
            file.write(b'\xff\x00 no line of ours\n{"time":"2026-11-21T1')
        call_tool(workspace, "tools.list", {})
        told = call_tool(workspace, "logs.list", {})
    assert [call["tool"] for call in told["calls"]] == ["tools.list", "mem.stats"]
    assert told["note"] == "2 lines of the log cannot be read and are left out."


def test_an_extra_line_break_is_not_a_call(kept: Path) -> None:
    # A process that looks at the end while another one is writing takes that one's line for a torn one.
    with Workspace(kept) as workspace:
        call_tool(workspace, "mem.stats", {})
        with next(list_files(kept)).open("ab") as file:
            file.write(b"\n\n")
        told = call_tool(workspace, "logs.list", {})
    assert ([call["tool"] for call in told["calls"]], "note" in told) == (["mem.stats"], False)


def test_calls_are_listed_newest_first_with_filters(kept: Path) -> None:
    old = datetime.now(UTC) - timedelta(days=5)
    ancient = {**_line("mem.search", None), "time": old.isoformat().replace("+00:00", "Z")}
    for line in (ancient, _line("mem.search", None), _line("mem.get", "NOT_FOUND"), _line("graph.callers", None)):
        append_line(kept, json.dumps(line))
    append_line(kept, '{"torn": ')
    append_line(kept, json.dumps({**_line("mem.get", None), "time": "yesterday"}))

    def shown(**given: Any) -> list[str]:
        with Workspace(kept, read_only=True) as workspace:
            return [call["tool"] for call in call_tool(workspace, "logs.list", given)["calls"]]

    assert shown() == ["graph.callers", "mem.get", "mem.search", "mem.search"]
    assert shown(limit=1) == ["graph.callers"]
    assert shown(status="error") == shown(status="NOT_FOUND") == ["mem.get"]
    assert shown(status="TIMEOUT") == []
    assert shown(tool="mem.search", since="1d") == ["mem.search"]
    assert shown(tool="find_callers") == ["graph.callers"]
    with pytest.raises(Fault) as caught:
        shown(since="long ago")
    assert caught.value.code is Code.INVALID_INPUT


def test_the_command_shows_the_calls_of_the_command_line(kept: Path, aur_program: str) -> None:
    def aur(*words: str) -> str:
        # a read of a project without a database is logged as well, and makes none
        done = subprocess.run([aur_program, *words], cwd=kept, capture_output=True, text=True, check=False)
        return done.stdout

    aur("mem", "get", "--path", "no_such")
    aur("workflow", "step", "no_such")
    shown = json.loads(aur("logs", "--json"))["calls"]
    assert [(call["tool"], call["surface"], call["code"]) for call in shown] == [
        ("workflow.step", "cli", "NOT_FOUND"),
        ("mem.get", "cli", "NOT_FOUND"),
    ]
    assert "logs.list" in aur("logs", "--tool", "logs.list")
    assert "No logged call matches." in aur("logs", "--status", "TIMEOUT")
    assert not list((kept / ".aurora").glob("memory.db*")), "a refusal of a name makes no database"


def test_a_project_without_a_log_says_why(root: Path) -> None:
    with Workspace(root) as workspace:
        assert "has no .aurora yet" in call_tool(workspace, "logs.list", {})["note"]
        step_workflow(workspace, {"phase": "assess", "query": "x"})


def _line(tool: str, code: str | None) -> dict[str, Any]:
    line = CallRecord.from_call("r", tool, "cli", 0.001, code)
    return {
        name: getattr(line, name) for name in ("time", "request_id", "surface", "tool", "duration_ms", "status", "code")
    }


@pytest.mark.requirement("auditgraph-17")
@pytest.mark.parametrize("how", ["read-only", "without .aurora", "with .aurora"])
def test_a_file_that_the_person_names_has_the_line_of_every_call(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    named = tmp_path / "calls.log"
    monkeypatch.setenv("AURORA_LOG_FILE", str(named))
    if how == "with .aurora":
        (root / ".aurora").mkdir()
    with Workspace(root, read_only=how == "read-only") as workspace:
        call_tool(workspace, "version.show", {}, request_id="r1")
        with pytest.raises(Fault):
            call_tool(workspace, "mem.get", {"path": PRIVATE}, request_id="r2")
    found = [json.loads(line) for line in named.read_text().splitlines()]
    assert [(line["request_id"], line["tool"], line["status"]) for line in found] == [
        ("r1", "version.show", "ok"),
        ("r2", "mem.get", "error"),
    ]
    assert all(line["duration_ms"] >= 0 for line in found)
    assert lines(root) == (found if how == "with .aurora" else [])
    assert named.stat().st_mode & 0o777 == 0o600


def test_a_named_file_that_cannot_be_written_stops_no_call(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (root, root / "missing" / "calls.log", "/dev/full"):
        monkeypatch.setenv("AURORA_LOG_FILE", str(path))
        with Workspace(root) as workspace:
            assert call_tool(workspace, "version.show", {})["aurora"]
