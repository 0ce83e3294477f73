"""A clone whose files are links to a person's files changes none of them, and shows none of them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora import hosts
from aurora.cli.exits import write_crash_report
from aurora.errors import Code, Fault
from aurora.tools.core import Context
from aurora.tools.memory.exchange import find_relative_path
from aurora.tools.runtime.call_log import CallRecord, log_call
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.tools.core import Surface

PRIVATE = "the content of a private file\n"
EXPORT = '{"aurora":"memory","version":1}\n'


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder next to the clone, with a private file, a folder, and an assistant's file."""
    home = tmp_path / "home"
    (home / "folder").mkdir(parents=True)
    (home / "private.txt").write_text(PRIVATE, encoding="utf-8")
    (home / "servers.json").write_text('{"mcpServers": {"mine": {"command": "x"}}}', encoding="utf-8")
    (home / "folder" / "calls.jsonl").write_text(PRIVATE, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return home


@pytest.fixture
def clone(tmp_path: Path, outside: Path) -> Path:
    root = tmp_path / "clone"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    assert outside.is_dir()
    return root.resolve()


def read_tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes() if path.is_file() else b"", path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
    }


def link(clone: Path, name: str, target: Path, kind: str) -> None:
    place = clone / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "hard":
        place.hardlink_to(target)
    else:
        place.symlink_to(target)


def collect_faults(works: list[Callable[[], Any]]) -> Iterator[Fault]:
    for work in works:
        try:
            work()
        except Fault as fault:
            yield fault


LINKS = [
    (".aurora", "folder", "soft"),
    (".aurora/memory.db", "private.txt", "soft"),
    (".aurora/memory.db", "private.txt", "hard"),
    (".aurora/memory.db", "new.db", "soft"),
    (".aurora/memory.db-wal", "private.txt", "hard"),
    (".aurora/memory.db-shm", "private.txt", "soft"),
    (".aurora/memory.db-journal", "private.txt", "hard"),
    (".aurora/backups", "folder", "soft"),
    (".aurora/workflows", "folder", "soft"),
    (".aurora/workflows/haiku.yaml", "private.txt", "soft"),
    (".aurora/workflows/haiku", "folder", "soft"),
]


@pytest.mark.parametrize(("name", "target", "kind"), LINKS)
def test_a_link_in_aurora_s_folder_is_refused_and_the_file_behind_it_is_unchanged(
    clone: Path, outside: Path, name: str, target: str, kind: str
) -> None:
    link(clone, name, outside / target, kind)
    before = read_tree(outside)
    with Workspace(clone) as workspace:
        told = list(
            collect_faults(
                [
                    lambda: call_tool(workspace, "mem.add", {"text": "a fact"}),
                    lambda: call_tool(workspace, "mem.index", {}),
                    lambda: call_tool(workspace, "mem.backup", {}),
                    lambda: call_tool(workspace, "mem.repair", {}),
                    lambda: call_tool(workspace, "workflow.new", {"name": "haiku", "force": True}),
                ]
            )
        )
    assert read_tree(outside) == before
    assert {fault.code for fault in told} - {Code.NOT_FOUND} == {Code.FORBIDDEN}
    assert any("link" in fault.message and name.rpartition("/")[2] in fault.message for fault in told)
    with Workspace(clone) as workspace:
        found = call_tool(workspace, "doctor.run", {"only": ["project.folder"]})["groups"][0]["findings"]
    if not name.startswith((".aurora/workflows/", ".aurora/memory.db-journal")):
        assert [one["kind"] for one in found] == ["project.folder.link"]


@pytest.mark.parametrize(
    "linked",
    [
        (".aurora/logs", "folder", "soft"),
        (".aurora/logs/calls.jsonl", "private.txt", "soft"),
        (".aurora/logs/calls.jsonl", "private.txt", "hard"),
        (".aurora/crash.log", "private.txt", "soft"),
        (".aurora/crash.log", "private.txt", "hard"),
        (".aurora/.gitignore", "new.txt", "soft"),
        (".aurora/.gitignore", "private.txt", "soft"),
    ],
)
def test_what_is_written_by_the_way_does_not_follow_a_link(
    clone: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, linked: tuple[str, str, str]
) -> None:
    name, target, kind = linked
    link(clone, name, outside / target, kind)
    before = read_tree(outside)
    monkeypatch.chdir(clone)
    with Workspace(clone) as workspace:
        for _ in range(2):
            log_call(CallRecord.from_call("id", "mem.search", "python", 0.1, None), workspace)
        call_tool(workspace, "mem.add", {"text": "a fact"})
        assert PRIVATE.strip() not in str(call_tool(workspace, "logs.list", {}))
        with contextlib.suppress(Fault):
            call_tool(workspace, "init.remove", {})
    write_crash_report(ValueError("x"))
    assert read_tree(outside) == before


@pytest.mark.parametrize(
    ("name", "target", "kind"),
    [
        (".aurora/backups", "folder", "soft"),
        (".mcp.json", "servers.json", "soft"),
        (".mcp.json", "servers.json", "hard"),
        (".claude", "folder", "soft"),
        ("CLAUDE.md", "new.md", "soft"),
    ],
)
def test_no_assistant_s_file_is_written_through_a_link(
    clone: Path, outside: Path, name: str, target: str, kind: str
) -> None:
    if name == ".aurora/backups":  # a file that is edited is backed up first
        (clone / ".mcp.json").write_text("{}", encoding="utf-8")
    link(clone, name, outside / target, kind)
    before = read_tree(outside)
    person = hosts.UserPaths.from_environment()
    plan = hosts.plan_changes(clone, person, hosts.get_hosts(["claude-code"]), hosts.Launch.detect(person), skill="x")
    _, failed = hosts.apply_changes(plan.changes, clone, person)
    assert read_tree(outside) == before
    assert any("link" in problem.message for problem in (*plan.problems, *failed))


def test_init_reports_a_folder_that_is_a_link(clone: Path, outside: Path) -> None:
    link(clone, ".aurora", outside / "folder", "soft")
    before = read_tree(outside)
    with Workspace(clone) as workspace:
        done = call_tool(workspace, "init.run", {"hosts": ["claude-code"], "index": False})
    assert (read_tree(outside), done["changes"]) == (before, [])
    assert any('".aurora" is a link to a place outside' in trouble["message"] for trouble in done["troubles"])


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/tmp/memory.jsonl", Code.FORBIDDEN),  # noqa: S108 - it is refused
        ("../memory.jsonl", Code.FORBIDDEN),
        ("src/../../memory.jsonl", Code.FORBIDDEN),
        ("out/memory.jsonl", Code.FORBIDDEN),
        ("./out.jsonl", Code.CONFLICT),
        (".git/hooks/pre-commit", Code.FORBIDDEN),
        ("sub/.GIT/memory.jsonl", Code.FORBIDDEN),
        ("git~1/memory.jsonl", Code.FORBIDDEN),
        (".aurora/workflows/soar.yaml", Code.FORBIDDEN),
        (".aurora/workflows/memory.jsonl", Code.FORBIDDEN),
        (".aurora/memory.db", Code.FORBIDDEN),
        (".aurora/memory.db-wal", Code.FORBIDDEN),
        (".Aurora/agents/x.jsonl", Code.FORBIDDEN),
        (".mcp.json", Code.FORBIDDEN),
        (".claude/commands/x.jsonl", Code.FORBIDDEN),
        (".CLAUDE/x.jsonl", Code.FORBIDDEN),
        ("CLAUDE.md", Code.FORBIDDEN),
        (".github/workflows/x.jsonl", Code.FORBIDDEN),
        (".husky/pre-commit.jsonl", Code.FORBIDDEN),
        (".envrc", Code.FORBIDDEN),
        ("Makefile", Code.FORBIDDEN),
        ("a.py", Code.FORBIDDEN),
        ("./own.jsonl", Code.CONFLICT),
        ("a\0.jsonl", Code.INVALID_INPUT),
        ("a\\..\\x.jsonl", Code.INVALID_INPUT),
        ("C:x.jsonl", Code.INVALID_INPUT),
        ("x.jsonl::$DATA", Code.INVALID_INPUT),
        ("nul.jsonl", Code.INVALID_INPUT),
        ("no/where.jsonl", Code.NOT_FOUND),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_a_host_and_a_phase_export_only_into_new_files_of_the_project(
    memory_of_clone: Workspace, clone: Path, outside: Path, path: str, code: Code
) -> None:
    before, before_clone = read_tree(outside), sorted(clone.rglob("*"))
    surfaces: tuple[Surface, ...] = ("mcp", "phase", "python")
    for surface in surfaces:
        with pytest.raises(Fault) as raised:
            call_tool(memory_of_clone, "mem.export", {"path": path}, surface=surface)
        assert (raised.value.code, bool(raised.value.help)) == (code, True)
    assert (read_tree(outside), sorted(clone.rglob("*"))) == (before, before_clone)


@pytest.fixture
def memory_of_clone(clone: Path, outside: Path) -> Iterator[Workspace]:
    """A clone with a memory, a file that is no export, and links out of it."""
    (clone / "src").mkdir()
    (clone / "own.jsonl").write_text('{"mine": 1}\n', encoding="utf-8")
    (clone / "out").symlink_to(outside / "folder")
    (clone / "out.jsonl").symlink_to(outside / "new.jsonl")
    (clone / "private.jsonl").symlink_to(outside / "private.txt")
    os.mkfifo(clone / "pipe.jsonl")
    with Workspace(clone) as workspace:
        call_tool(workspace, "mem.add", {"text": "a fact"})
        yield workspace


@pytest.mark.parametrize("surface", ["mcp", "phase"])
@pytest.mark.parametrize("path", ["memory.jsonl", "src/memory.jsonl", ".aurora/memory.jsonl", "src/../x.JSONL"])
def test_a_host_and_a_phase_export_into_the_project_and_import_from_it(
    memory_of_clone: Workspace, clone: Path, surface: Any, path: str
) -> None:
    for _ in range(2):
        call_tool(memory_of_clone, "mem.export", {"path": path}, surface=surface)
    written = clone / path if "/" in path else clone / ".aurora" / "exports" / path
    assert "a fact" in written.read_text(encoding="ascii")
    absolute = str(written)
    assert call_tool(memory_of_clone, "mem.import", {"path": absolute}, surface=surface)["records_known"] == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../home/private.txt", Code.FORBIDDEN),
        ("/etc/passwd", Code.FORBIDDEN),
        ("private.jsonl", Code.FORBIDDEN),
        ("out/calls.jsonl", Code.FORBIDDEN),
        ("pipe.jsonl", Code.FORBIDDEN),
        (".git/config", Code.FORBIDDEN),
        ("gone.jsonl", Code.NOT_FOUND),
        ("a\0b", Code.INVALID_INPUT),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_a_host_and_a_phase_import_only_from_the_project(memory_of_clone: Workspace, path: str, code: Code) -> None:
    surfaces: tuple[Surface, ...] = ("mcp", "phase", "python")
    for surface in surfaces:
        with pytest.raises(Fault) as raised:
            call_tool(memory_of_clone, "mem.import", {"path": path}, surface=surface)
        assert raised.value.code is code
        assert PRIVATE.strip() not in str(raised.value.to_json())


def run_aur(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aurora", *words], cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_person_in_a_terminal_exports_elsewhere_but_not_over_other_files(
    memory_of_clone: Workspace, clone: Path, outside: Path
) -> None:
    (outside / ".claude").mkdir()
    (outside / ".git").mkdir()
    before = read_tree(outside)
    refused = {
        str(outside / "private.txt"): "exists and is not an export",
        str(outside / ".git" / "x.jsonl"): "version control",
        str(outside / ".claude" / "x.jsonl"): "belongs to the configuration of Claude Code",
        str(clone / "out" / "x.jsonl"): "a place outside the project",
        str(clone / ".mcp.json"): "belongs to the configuration of Claude Code",
        str(clone / ".aurora" / "workflows" / "soar.yaml"): "among Aurora's own files",
        str(clone / "private.jsonl"): "exists and is not an export",
    }
    for path, words in refused.items():
        with pytest.raises(Fault) as raised:
            call_tool(memory_of_clone, "mem.export", {"path": path}, surface="cli")
        assert words in raised.value.message
    memory_of_clone.close()
    done = run_aur(clone, "mem", "export", "out/x.jsonl")
    assert (done.returncode != 0, "a place outside the project" in done.stderr) == (True, True)
    assert read_tree(outside) == before
    target = outside / "folder" / "memory.txt"
    for _ in range(2):
        assert run_aur(clone, "mem", "export", str(target)).returncode == 0
    assert json.loads(target.read_text(encoding="ascii").splitlines()[0])["aurora"] == "memory"
    assert run_aur(clone, "mem", "import", str(target)).returncode == 0


def test_the_project_under_another_name_is_the_project(memory_of_clone: Workspace, clone: Path) -> None:
    (clone.parent / "alias").symlink_to(clone)
    context = Context(memory_of_clone, None, "id", surface="mcp")
    assert find_relative_path(str(clone.parent / "alias" / "src" / "x.jsonl"), context) == "src/x.jsonl"


@pytest.mark.parametrize("name", ["file", "folder/x", "../x", "/x", ".git/config", "a\\b", "pipe"])
def test_a_case_of_a_workflow_writes_only_into_its_own_copy(clone: Path, outside: Path, name: str) -> None:
    folder = clone / ".aurora" / "workflows" / "tests"
    (folder / "fixture").mkdir(parents=True)
    (folder / "fixture" / "file").symlink_to(outside / "new.txt")
    (folder / "fixture" / "folder").symlink_to(outside / "folder")
    if name == "pipe":
        os.mkfifo(folder / "fixture" / "pipe")
    case = {"workflow": "maintenance", "name": "evil", "tools": "real", "project": "fixture", "files": {name: "evil"}}
    (folder / "maintenance.yaml").write_text(json.dumps(case), encoding="utf-8")
    before = read_tree(outside)
    with Workspace(clone) as workspace:
        [told] = call_tool(workspace, "workflow.test", {"files": [str(folder / "maintenance.yaml")]})["cases"]
    assert (told["status"], told["error"].partition(":")[0]) == ("broken", "INVALID_INPUT")
    assert read_tree(outside) == before


@pytest.mark.parametrize("path", [".aurora/memory.db", ".aurora/memory.db-wal", "db_link"])
def test_the_memory_is_not_read_as_a_file(memory_of_clone: Workspace, clone: Path, path: str) -> None:
    """Closing it would drop the locks of this process."""
    (clone / "db_link").symlink_to(".aurora/memory.db")
    with pytest.raises(Fault) as raised:
        call_tool(memory_of_clone, "mem.get", {"path": path})
    assert raised.value.code is Code.FORBIDDEN


@pytest.mark.parametrize("path", [".aurora/views/linked.db", ".aurora/views/linked.db-wal", "db_link"])
def test_the_index_of_a_linked_worktree_is_not_read_as_a_file(
    memory_of_clone: Workspace, clone: Path, path: str
) -> None:
    (clone / ".aurora" / "views").mkdir()
    for ending in ("", "-wal"):  # text, which another file could be read as
        (clone / ".aurora" / "views" / f"linked.db{ending}").write_text("text\n", encoding="utf-8")
    (clone / "db_link").symlink_to(".aurora/views/linked.db")
    with pytest.raises(Fault) as raised:
        call_tool(memory_of_clone, "mem.get", {"path": path})
    assert raised.value.code is Code.FORBIDDEN
