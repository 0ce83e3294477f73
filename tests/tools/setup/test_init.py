"""Setup writes what was planned, indexes, checks the result, and can be removed."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.hosts import DEFAULT_TOOLS, HOSTS, list_server_tools
from aurora.tools.runtime.dispatch import call_tool, get_registry
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def programs(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aur_program: str) -> Path:
    """Return a folder of programs with this checkout's `aur`, in the environment of a new user."""
    folder = tmp_path / "bin"
    folder.mkdir()
    aur = folder / "aur"
    aur.write_text(f'#!/bin/sh\nexec "{aur_program}" "$@"\n', encoding="utf-8")
    aur.chmod(0o755)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "XDG_CONFIG_HOME", "AURORA_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    assert home.is_dir()
    return folder


@pytest.fixture
def call(root: Path, programs: Path) -> Callable[..., dict[str, Any]]:
    """Call a tool on the project."""

    def run(name: str, *, read_only: bool = False, **arguments: Any) -> dict[str, Any]:
        with Workspace(root, read_only=read_only) as workspace:
            return call_tool(workspace, name, arguments)

    assert programs.is_dir()
    return run


CACHES = {"logs", "checked-workflows"}


def tree(*folders: Path) -> dict[str, bytes]:
    """Return every file but the log of the calls and the cache of checked workflows."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files if path.parent.name not in CACHES}


def checks(done: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the status and message of each finding of the doctor."""
    return [(one["status"], one["message"]) for group in done["checks"] for one in group["findings"]]


@pytest.mark.requirement("prd-8", "prd-38", "prd-69")
def test_a_plan_writes_nothing_and_the_run_writes_what_was_planned(
    call: Callable[..., dict[str, Any]], root: Path, home: Path
) -> None:
    before = tree(root, home)
    planned = call("init.plan", hosts=["claude-code", "codex"], read_only=True)
    assert tree(root, home) == before
    assert planned["planned"] is True
    diffs = {Path(one["path"]).name: one["diff"].splitlines() for one in planned["changes"]}
    assert "more lines" not in diffs["SKILL.md"][-1]
    done = call("init.run", hosts=["claude-code", "codex"])
    assert done["changes"] == planned["changes"]
    assert {one["path"] for one in done["changes"]} == {
        path[len(str(root)) + 1 :]
        for path in tree(root)
        if path not in before and ".db" not in path and "/backups/" not in path
    }
    assert [group["title"] for group in done["checks"]] == ["MCP Integration Checks"]
    assert {status for status, _ in checks(done)} == {"pass", "skip"}
    for expected in (".codex/config.toml is valid for Codex", "offers exactly aurora_query, aurora_search, aurora_get"):
        assert any(expected in message for _, message in checks(done))
    assert done["indexed"]["files"] >= 2
    assert done["troubles"] == []
    assert json.loads((root / ".mcp.json").read_text(encoding="utf-8")) == {
        "mcpServers": {"aurora": {"command": "aur", "args": ["mcp"], "alwaysLoad": True}}
    }


@pytest.mark.requirement("aura-20")
def test_the_entry_for_claude_desktop_starts_a_server_from_any_folder(
    call: Callable[..., dict[str, Any]], root: Path, home: Path
) -> None:
    done = call("init.run", hosts=["claude-desktop"])
    assert done["failed"] == []
    (file,) = home.rglob("Claude/claude_desktop_config.json")
    (entry,) = json.loads(file.read_text(encoding="utf-8"))["mcpServers"].values()
    assert entry["args"] == ["mcp", "--project", str(root)]
    answer = list_server_tools([entry["command"], *entry["args"]], Path("/"), 60)
    assert (answer.problem, set(answer.tools)) == ("", set(DEFAULT_TOOLS))


def test_a_second_run_changes_no_byte(call: Callable[..., dict[str, Any]], root: Path, home: Path) -> None:
    call("init.run", hosts=["cursor", "windsurf"], index=False)
    before = tree(root, home)
    done = call("init.run", hosts=["cursor", "windsurf"], index=False)
    assert done["changes"] == []
    assert done["advice"] == []
    assert tree(root, home) == before


def test_without_names_those_in_use_are_set_up(call: Callable[..., dict[str, Any]], root: Path) -> None:
    (root / ".gemini").mkdir()
    done = call("init.run", index=False)
    assert [(one["name"], one["found"]) for one in done["hosts"]] == [("gemini", [".gemini"])]
    assert (root / ".gemini/settings.json").is_file()


def test_without_an_assistant_the_project_is_indexed_and_the_remedy_reported(
    call: Callable[..., dict[str, Any]],
) -> None:
    done = call("init.run")
    assert done["indexed"]["files"] >= 2
    assert "no assistant was found" in done["troubles"][0]["message"]
    assert '"claude-code"' in done["troubles"][0]["help"]
    assert [one["path"] for one in done["changes"]] == [".aurora/.gitignore"]


def test_the_full_path_is_written_when_aur_is_on_path_only_in_a_virtual_environment(
    call: Callable[..., dict[str, Any]], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Path(sys.executable).parent
    monkeypatch.setenv("VIRTUAL_ENV", str(environment.parent))
    monkeypatch.setenv("PATH", os.pathsep.join([str(environment), "/usr/bin", "/bin"]))
    done = call("init.run", hosts=["claude-code"], index=False)
    entry = json.loads((root / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["aurora"]
    assert Path(entry["command"]).is_absolute()
    assert entry["command"] in done["advice"][0]
    assert "uv tool install" in done["advice"][0]
    assert {status for status, _ in checks(done)} == {"pass", "skip"}


@pytest.mark.requirement("prd-9", "prd-34", "prd-36")
def test_a_broken_file_is_a_warning_with_its_place_and_the_rest_is_done(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    (root / ".mcp.json").write_text("{\n  oops\n}", encoding="utf-8")
    done = call("init.run", hosts=["claude-code", "codex"], index=False)
    assert [one["where"] for one in done["troubles"]] == [".mcp.json:2:3"]
    assert "aur doctor" in done["troubles"][0]["help"]
    assert (root / ".mcp.json").read_text(encoding="utf-8") == "{\n  oops\n}"
    assert (root / ".codex/config.toml").is_file()
    assert {status for status, _ in checks(done)} == {"pass", "skip"}, "what was said is not said twice"


def test_consequences_of_an_unwritten_entry_are_not_reported_again(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    (root / ".mcp.json").write_text("{}\n", encoding="utf-8")
    (root / ".mcp.json").chmod(0o444)
    done = call("init.run", hosts=["claude-code"], index=False)
    (trouble,) = done["troubles"]
    assert trouble["message"].startswith(".mcp.json: it is read-only")
    assert {status for status, _ in checks(done)} == {"pass", "skip"}


@pytest.mark.requirement("prd-10", "prd-37")
def test_each_warning_has_a_remedy_and_names_the_doctor(call: Callable[..., dict[str, Any]], root: Path) -> None:
    (root / ".claude/skills/aurora").mkdir(parents=True)
    (root / ".claude/skills/aurora/SKILL.md").write_text("mine\n", encoding="utf-8")
    (root / ".cursor").mkdir()
    (root / ".cursor/mcp.json").write_text('{"mcpServers": {"aurora": {"command": "other"}}}', encoding="utf-8")
    (root / ".gemini").mkdir()
    (root / ".gemini/settings.json").write_text("{,}", encoding="utf-8")
    (root / "AGENTS.md").mkdir()
    done = call("init.run", hosts=["claude-code", "cursor", "gemini", "codex"], index=False)
    assert len(done["troubles"]) >= 4
    for one in done["troubles"]:
        assert "`aur doctor` shows details." in one["help"], one
    assert any("`aur init --hosts claude-code` again" in one["help"] for one in done["troubles"])


def test_no_file_is_changed_without_the_backup_folder(
    call: Callable[..., dict[str, Any]], root: Path, home: Path
) -> None:
    (root / ".aurora").write_text("mine", encoding="utf-8")
    before = tree(root, home)
    done = call("init.run", hosts=["claude-code"])
    (trouble,) = done["troubles"]
    assert trouble["message"].startswith('".aurora" cannot be created (')
    assert 'Move the file ".aurora" away' in trouble["help"]
    assert "`aur doctor`" in trouble["help"]
    assert (done["changes"], done["indexed"]) == ([], None)
    assert tree(root, home) == before


def test_a_full_disk_is_answered_with_the_need_for_space(
    call: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("aurora.memory.files.prepare_folder", fail)
    (trouble,) = call("init.run", hosts=["claude-code"])["troubles"]
    assert "No space left on device" in trouble["message"]
    assert trouble["help"].startswith("Free space on the disk. Then run `aur init` again;")


_OWN = re.compile(r"/\.aurora/|/\.local/state/aurora/")


@pytest.mark.requirement("prd-11", "prd-35")
def test_a_server_that_does_not_start_is_a_warning_that_names_the_doctor(
    call: Callable[..., dict[str, Any]], programs: Path
) -> None:
    (programs / "aur").write_text("#!/bin/sh\necho 'no module aurora' >&2\nexit 1\n", encoding="utf-8")
    done = call("init.run", hosts=["claude-code"], index=False)
    wrong = {one["kind"]: one for one in done["checks"][0]["findings"] if one["status"] == "warn"}
    assert sorted(wrong) == ["mcp.server.fails", "mcp.stateless.fails"]
    for one in wrong.values():
        assert one["status"] == "warn"
        assert "no module aurora" in one["message"]
        assert one["steps"][-1] == "Run `aur doctor` for details."


def test_a_project_that_cannot_be_indexed_is_still_connected(
    call: Callable[..., dict[str, Any]], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "folder").mkdir()
    monkeypatch.setenv("AURORA_DB", "folder")
    done = call("init.run", hosts=["claude-code"])
    assert done["indexed"] is None
    assert "aur doctor" in done["troubles"][0]["help"]
    assert (root / ".mcp.json").is_file()


def test_removal_restores_every_file_and_deletes_the_memory_only_on_request(
    call: Callable[..., dict[str, Any]], root: Path, home: Path
) -> None:
    (root / "CLAUDE.md").write_text("# Mine\n", encoding="utf-8")
    (root / ".aurora/workflows").mkdir(parents=True)
    (root / ".aurora/workflows/tea.yaml").write_text("extends: soar\n", encoding="utf-8")
    before = tree(root, home)
    call("init.run", hosts=["claude-code", "codex", "cline"])
    done = call("init.remove")
    assert done["removed"] is True
    # the account's key stays: it is of all projects, and knows their memories
    assert {path: data for path, data in tree(root, home).items() if not _OWN.search(path)} == {
        path: data for path, data in before.items() if not _OWN.search(path)
    }
    assert (root / ".aurora/memory.db").is_file()
    call("init.remove", with_memory=True)
    left = {path: data for path, data in tree(root, home).items() if "/.local/state/aurora/" not in path}
    assert left.pop(str(root / ".aurora/.gitignore"))
    assert left == before


def test_a_memory_outside_the_project_is_kept_and_reported(
    call: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "store" / "memory.db"
    place.parent.mkdir()
    monkeypatch.setenv("AURORA_DB", str(place))
    call("init.run", hosts=["claude-code"])
    done = call("init.remove", with_memory=True)
    (trouble,) = done["troubles"]
    assert trouble["message"] == f'the memory is outside the project, in "{place}", and was not deleted'
    assert place.is_file()


def git(root: Path, *words: str) -> str:
    """Run git in the project and return its output."""
    return subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("hosts", [["claude-code", "codex"], [host.name for host in HOSTS]])
def test_git_sees_nothing_after_every_assistant_was_removed_by_name(
    call: Callable[..., dict[str, Any]], root: Path, hosts: list[str]
) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begun")
    call("init.run", hosts=["claude-code", "codex"], index=False)
    planned = call("init.plan", hosts=hosts, remove=True)["changes"]
    assert call("init.remove", hosts=hosts)["changes"] == planned
    assert git(root, "status", "--porcelain", "--untracked-files=all") == ""


def test_git_sees_the_folder_while_an_assistant_is_left(call: Callable[..., dict[str, Any]], root: Path) -> None:
    git(root, "init", "-q")
    call("init.run", hosts=["claude-code", "codex"], index=False)
    call("init.remove", hosts=["codex"])
    assert ".aurora/.gitignore" in git(root, "status", "--porcelain", "--untracked-files=all")


def test_an_allowance_that_an_assistant_does_not_have_is_reported(call: Callable[..., dict[str, Any]]) -> None:
    without = next(host for host in HOSTS if host.allowance is None and not host.allow_by_hand and host.project)
    done = call("init.run", hosts=[without.name], allow_tools=True, index=False)
    assert f"{without.title} is not changed. Aurora knows no setting of it that allows tools." in done["advice"]


def test_after_a_removal_git_sees_only_the_workflows(call: Callable[..., dict[str, Any]], root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begun")
    call("init.run", hosts=["claude-code"])
    ignore = root / ".aurora/.gitignore"
    first = ignore.read_bytes()
    planned = call("init.plan", remove=True)["changes"]
    assert call("init.remove")["changes"] == planned
    assert ".aurora/.gitignore" in [one["path"] for one in planned]
    assert git(root, "status", "--porcelain", "--untracked-files=all") == ""
    assert (root / ".aurora/memory.db").is_file()
    assert call("init.remove")["changes"] == []
    (root / ".aurora/workflows").mkdir()
    (root / ".aurora/workflows/tea.yaml").write_text("extends: soar\n", encoding="utf-8")
    assert git(root, "status", "--porcelain", "--untracked-files=all") == "?? .aurora/workflows/tea.yaml\n"
    call("init.run", hosts=["claude-code"], index=False)
    assert ignore.read_bytes() == first


def test_tracked_ignore_rules_survive_a_removal(call: Callable[..., dict[str, Any]], root: Path) -> None:
    git(root, "init", "-q")
    call("init.run", hosts=["codex"], index=False)
    git(root, "add", ".aurora/.gitignore", "src", "docs")
    git(root, "commit", "-qm", "begun")
    call("init.remove")
    assert git(root, "status", "--porcelain", "--untracked-files=all") == ""


def test_an_unknown_assistant_is_rejected_before_anything_is_written(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    with pytest.raises(Fault, match='there is no assistant "cursr"; did you mean "cursor"'):
        call("init.run", hosts=["claude-code", "cursr"])
    assert not (root / ".mcp.json").exists()


def test_a_home_folder_is_not_a_project(home: Path, programs: Path) -> None:
    assert programs.is_dir()
    with Workspace(home) as workspace, pytest.raises(Fault, match="your home folder is not a project") as caught:
        call_tool(workspace, "init.run", {"hosts": ["claude-code"]})
    assert caught.value.code is Code.INVALID_INPUT
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["init.run", "init.remove"])
def test_nothing_is_written_in_read_only_mode(
    call: Callable[..., dict[str, Any]], root: Path, home: Path, name: str
) -> None:
    before = tree(root, home)
    with pytest.raises(Fault) as caught:
        call(name, hosts=["claude-code"], read_only=True)
    assert caught.value.code is Code.FORBIDDEN
    assert tree(root, home) == before


@pytest.mark.parametrize("name", ["init.plan", "init.run", "init.remove", "hosts.list", "hosts.status"])
def test_every_example_works(call: Callable[..., dict[str, Any]], name: str) -> None:
    for example in get_registry().find(name).examples:
        assert call(name, **example.arguments)


def test_the_list_has_each_host_s_files_and_the_status_their_state(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    (root / ".cursor").mkdir()
    rows = {one["name"]: one for one in call("hosts.list")["hosts"]}
    assert len(rows) == 17
    assert rows["cursor"]["found"] == [".cursor"]
    assert rows["windsurf"]["project_file"] is None
    assert [(one["host"], one["status"]) for one in call("hosts.status")["files"]] == [("cursor", "absent")]
    call("init.run", hosts=["cursor"], index=False)
    status = call("hosts.status")
    assert status["configured"] is True
    assert {(one["status"], one["trusted"], one["connected"]) for one in status["files"]} == {
        ("configured", "not known", "not known")
    }
    assert [(one["file"], one["command"]) for one in status["files"]] == [(".cursor/mcp.json", ["aur", "mcp"])]


def test_the_status_tells_hooks_of_another_program_from_aurora_s(
    call: Callable[..., dict[str, Any]], root: Path
) -> None:
    call("init.run", hosts=["claude-code"], index=False, hooks=True)
    assert [one["hooks"] for one in call("hosts.status")["files"]] == ["on"]

    place = root / ".claude" / "settings.local.json"
    settings = json.loads(place.read_text(encoding="utf-8"))
    handler = settings["hooks"]["SessionStart"][0]["hooks"][0]
    handler["command"] = "touch x; aur hook session-start"
    place.write_text(json.dumps(settings), encoding="utf-8")

    assert [one["hooks"] for one in call("hosts.status")["files"]] == ["foreign"]


def test_assistants_are_asked_only_in_a_trusted_folder_and_by_a_person(
    call: Callable[..., dict[str, Any]], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AURORA_TRUST", "0")
    with pytest.raises(Fault, match="not trusted yet") as caught:
        call("hosts.status", ask=True)
    assert caught.value.code is Code.FORBIDDEN
    with Workspace(root) as workspace, pytest.raises(Fault, match="a model cannot ask"):
        call_tool(workspace, "hosts.status", {"ask": True}, surface="mcp")
