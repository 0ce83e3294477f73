"""All tools: unknown arguments, repeated calls, and the programs that they start."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from aurora.errors import Code, Fault
from aurora.tools.core.registry import TOOL_MODULES, ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from tests.wire.prepared_project import allow_program, list_in_playing_order, prepare_project, run_before

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = ToolRegistry().load_all()
REPEATABLE = sorted(tool.name for tool in TOOLS if tool.idempotent and tool.risk != "read")
NUMBERED = {"docs", "facts", "postings", "segments", "sqlite_sequence", "vectors"}
"""Tables of the index, with the time and the numbering of an index run; a search shows what they find."""
HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
ASSISTANTS = ("claude", "codex", "copilot", "cursor-agent", "gemini", "opencode", "qwen")
WATCHED: list[list[str]] = []
"""Lists that receive the programs that this process starts while a test watches."""


def _note_program(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHED and event in {"subprocess.Popen", "os.posix_spawn", "os.system", "os.exec"}:
        WATCHED[-1].append(Path(str(arguments[0])).name)


@pytest.fixture
def started() -> Iterator[list[str]]:
    """Watch the programs; a hook of the interpreter cannot be removed, so that it does nothing between tests."""
    sys.addaudithook(_note_program)
    seen: list[str] = []
    WATCHED.append(seen)
    yield seen
    WATCHED.remove(seen)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aur_program: str) -> Path:
    """A project in which the examples of all tools find what they need."""
    allow_program(tmp_path, monkeypatch, aur_program)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# Files\n\nHow files are skipped.\n", encoding="utf-8")
    (folder / "tea.py").write_text('def brew():\n    """Brew the tea."""\n', encoding="utf-8")
    return folder


def _read_texts(db: apsw.Connection, table: str) -> list[list[Any]]:
    """Read the rows without their numbers: a row that is written again has another one."""
    rows = db.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name of the schema
    return sorted(([value for value in row if not isinstance(value, int)] for row in rows), key=repr)


def _read_state(root: Path) -> tuple[dict[str, bytes], dict[str, list[Any]]]:
    """Read the files outside the memory, its backups and the log, and the rows of the memory."""
    database = root / ".aurora" / "memory.db"
    apart = {"backups", "logs"}
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not apart & set(path.parts) and not path.name.startswith(database.name)
    }
    db = apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)
    try:
        names = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} - NUMBERED
        return files, {name: _read_texts(db, name) for name in names}
    finally:
        db.close()


@pytest.mark.requirement("auditgraph-26")
@pytest.mark.parametrize("name", sorted(TOOL_MODULES))
def test_an_unknown_argument_is_refused_by_its_name(name: str, root: Path) -> None:
    tool = ToolRegistry().find(name)
    arguments = {**tool.examples[0].arguments, "no_such_argument": 1}
    with Workspace(root) as workspace:
        if name == "workflow.step":  # its output has the error
            response = call_tool(workspace, name, arguments)
            assert response["error"]["code"] == "INVALID_INPUT"
            assert "no_such_argument" in json.dumps(response["error"])
        else:
            with pytest.raises(Fault, match="no_such_argument") as caught:
                call_tool(workspace, name, arguments, params=tool.examples[0].params)
            assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.requirement("auditgraph-22")
@pytest.mark.parametrize("name", REPEATABLE)
def test_two_calls_of_an_idempotent_tool_leave_the_same_as_one(name: str, root: Path) -> None:
    prepare_project(root)
    with Workspace(root) as workspace:
        for example in ToolRegistry().find(name).examples:
            call_tool(workspace, name, example.arguments, params=example.params)
            once, found = _read_state(root), _find_files(root)
            call_tool(workspace, name, example.arguments, params=example.params)
            assert _read_state(root) == once
            assert _find_files(root) == found


def _find_files(root: Path) -> Any:
    with Workspace(root, read_only=True) as workspace:
        return call_tool(workspace, "mem.search", {"query": "files that are skipped", "limit": 50})


def _plant_hooks_and_assistants(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write hooks into the project and programs of assistants onto PATH; each writes into the returned file."""
    trace = root.parent / "trace"
    programs = root.parent / "programs"
    programs.mkdir()
    for name in ASSISTANTS:
        (programs / name).write_text(f"#!/bin/sh\necho {name} >> {trace}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    item = {"hooks": [{"type": "command", "command": f"echo hook >> {trace}"}]}
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {name: [item] for name in HOOKS}}), encoding="utf-8")
    hook = root / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\necho git >> {trace}\n", encoding="utf-8")
    hook.chmod(0o755)
    return trace


@pytest.mark.requirement("triads-20", "triads-21")
def test_no_tool_starts_an_agent_an_assistant_or_a_hook_of_another_program(
    root: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    trace = _plant_hooks_and_assistants(root, monkeypatch)
    run = prepare_project(root)
    with Workspace(root) as workspace:
        for tool in list_in_playing_order(TOOLS):
            run_before(tool, workspace)
            example = tool.examples[0]  # `tests/wire/test_surfaces.py` plays the others
            arguments = {**example.arguments, **({"run": run} if "run" in example.arguments else {})}
            origin: Any = "cli" if tool.name == "jobs.run" else "python"  # only a terminal starts a job
            call_tool(workspace, tool.name, arguments, params=example.params, surface=origin)
    assert not trace.exists()
    # `command.run` starts what the person allowed, and `init.run` and `doctor.run` start Aurora's own server.
    assert {"echo", "aur"} <= set(started) <= {"echo", "aur", "git", Path(sys.executable).name}
