"""`aur init` shows, asks, writes and checks; and asks nobody who cannot answer."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path, aur_program: str) -> dict[str, str]:
    """A new person's: an empty home, and `aur` but no assistant on PATH."""
    (tmp_path / "home").mkdir()
    kept = {name: value for name, value in environment.items() if name not in {"XDG_CONFIG_HOME", "VIRTUAL_ENV"}}
    return {
        **kept,
        "HOME": str(tmp_path / "home"),
        "PATH": f"{Path(aur_program).parent}:/usr/bin:/bin",
        "NO_COLOR": "1",
    }


def test_answering_no_changes_nothing(project: Path, terminal: Terminal) -> None:
    code, shown = terminal("init", "--hosts", "claude-code", answer="show\nn\n")
    assert code == 1
    assert '+      "args": ["mcp"],' in shown
    assert "Change 4 files? [Y/n/show]" in shown
    assert "Nothing was written." in shown
    assert not (project / ".mcp.json").exists()
    assert not (project / ".aurora").exists()


def test_a_person_picks_the_assistants_and_sees_a_summary_before_the_question(
    project: Path, terminal: Terminal
) -> None:
    (project / ".zed").mkdir()
    (project / ".kiro").mkdir()
    code, shown = terminal("init", "--no-index", answer="7\n1, codex\nn\n")
    assert code == 1
    lines = [line.rstrip() for line in shown.splitlines()]
    assert "In use here:" in lines
    assert "  1  Zed (zed)  .zed" in lines
    assert "  2  Kiro (kiro)  .kiro" in lines
    assert any(line.startswith("Others: claude-code, cursor, ") for line in lines)
    assert "There is no number 7." in shown
    created = (".aurora/.gitignore", ".zed/settings.json", "AGENTS.md", ".codex/config.toml")
    planned = [line.split("  ")[0] for line in lines if line.startswith("create ")]
    assert planned == [f"create {path}" for path in (*created, ".agents/skills/aurora/SKILL.md")]
    assert not any(line.startswith("  +") for line in lines), "the diff is shown on request"
    assert any(line.startswith("Change 5 files? [Y/n/show]") for line in lines)
    assert "note: Codex: Trust the folder when it asks" in shown, "what is still to approve"


def test_the_diff_is_shown_when_the_person_asks_for_it(project: Path, terminal: Terminal) -> None:
    (project / ".zed").mkdir()
    code, shown = terminal("init", "--no-index", "--hosts", "zed", answer="show\nn\n")
    assert code == 1
    assert shown.count("Change 3 files? [Y/n/show]") == 2
    assert "  +<!-- aurora:end -->" in shown


def test_a_bare_return_sets_up_the_assistants_in_use(project: Path, terminal: Terminal) -> None:
    (project / ".zed").mkdir()
    code, _ = terminal("init", "--no-index", answer="\ny\n")
    assert (code, (project / ".zed/settings.json").is_file()) == (0, True)


def test_notes_and_skill_can_be_left_out_and_the_doctor_does_not_miss_them(aur: Aur, project: Path) -> None:
    words = ("init", "--yes", "--no-index", "--hosts", "claude-code")
    done = aur(*words, "--no-notes", "--no-skill")
    assert (done.returncode, "warning" in done.stdout, "[WARN]" in done.stdout) == (0, False, False)
    assert not (project / "CLAUDE.md").exists()
    assert not (project / ".claude").exists()
    assert aur("doctor", "--only", "mcp.references").returncode == 0
    assert "missing" not in aur("doctor", "--only", "mcp.references", "--fix").stdout
    assert not (project / "CLAUDE.md").exists()
    aur(*words)
    (project / "CLAUDE.md").unlink()
    assert "CLAUDE.md: the agents' note is missing" in aur("doctor", "--only", "mcp.references").stdout


def test_a_named_assistant_that_cannot_be_set_up_is_exit_code_1(aur: Aur, project: Path) -> None:
    (project / ".mcp.json").write_text("{]", encoding="utf-8")
    (project / ".codex").mkdir()
    done = aur("init", "--yes", "--no-index", "--hosts", "claude-code,codex")
    assert done.returncode == 1
    assert "not set up: claude-code\n" in done.stdout
    assert (project / ".codex/config.toml").is_file(), "the rest is done"
    assert json.loads(aur("init", "--dry-run", "--json", "--hosts", "claude-code").stdout)["failed"] == ["claude-code"]
    assert aur("init", "--yes", "--no-index", "--hosts", "codex").returncode == 0


def test_an_interrupted_question_is_reported_on_its_own_line(project: Path, terminal: Terminal) -> None:
    code, shown = terminal("init", "--hosts", "claude-code", answer="\x04")
    assert code == 130
    assert shown.endswith("[Y/n/show]: \r\naur: interrupted\r\n")
    assert not (project / ".aurora").exists()


def test_a_person_who_says_yes_is_set_up_and_asked_nothing_the_second_time(terminal: Terminal) -> None:
    code, shown = terminal("init", "--hosts", "claude-code", answer="y\n\n")
    assert code == 0
    assert "created .mcp.json" in shown
    assert re.search(r"indexed (\d+) files, \1 of them new", shown)
    assert "=== MCP Integration Checks ===" in shown
    assert "[PASS] .mcp.json is valid for Claude Code, and starts `" in shown
    assert "Ready." in shown
    code, shown = terminal("init", "--hosts", "claude-code", "--no-index")
    assert code == 0
    assert "There is nothing to change." in shown
    assert "[Y/n" not in shown


def test_running_the_tools_without_asking_is_a_question_of_its_own_with_no_as_the_answer_to_a_bare_return(
    project: Path, terminal: Terminal, aur: Aur
) -> None:
    settings = project / ".claude/settings.local.json"
    code, shown = terminal("init", "--hosts", "claude-code", "--no-index", answer="y\n\n")
    assert (code, settings.exists()) == (0, False)
    assert "Claude Code can run aurora_query, aurora_search and aurora_get without asking you each time" in shown
    assert ".claude/settings.local.json: mcp__aurora__aurora_query, " in shown
    assert "do not commit it" in shown
    assert "Allow that? [y/N]" in shown

    aur("init", "--remove", "--yes")
    code, shown = terminal("init", "--hosts", "claude-code", "--no-index", answer="y\ny\n")
    assert code == 0
    assert json.loads(settings.read_text("utf-8"))["permissions"]["allow"][0] == "mcp__aurora__aurora_query"

    aur("init", "--remove", "--yes")
    done = aur("init", "--hosts", "claude-code,kiro", "--no-index", "--yes", "--allow-tools")
    assert settings.is_file()
    assert "note: Kiro is not changed. List " in done.stdout


def test_deleting_the_memory_is_asked_about_with_no_as_the_answer_to_a_bare_return(
    project: Path, aur: Aur, terminal: Terminal
) -> None:
    aur("mem", "index")
    code, shown = terminal("init", "--remove", "--with-memory", answer="\n")
    assert code == 1
    assert "delete the memory and all runs? [y/N" in shown
    assert (project / ".aurora/memory.db").is_file()


@pytest.mark.parametrize("words", [[], ["--json"], ["--remove"]])
def test_without_a_terminal_yes_or_dry_run_is_required(aur: Aur, project: Path, words: list[str]) -> None:
    done = aur("init", *words)
    assert done.returncode == 2
    assert "pass --yes to apply or --dry-run" in done.stdout + done.stderr
    assert not (project / ".aurora").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--yes", "--with-memory"], "--with-memory requires --remove"),
        (["--yes", "--remove", "--user"], "leave out --user"),
        (["--yes", "--remove", "--allow-tools"], "leave it out"),
        (["--yes", "--host", "cursor"], "no such option"),
    ],
)
def test_options_that_make_no_sense_are_bad_usage(aur: Aur, words: list[str], said: str) -> None:
    done = aur("init", *words)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("words", [["--yes"], []], ids=["yes", "nobody to ask"])
def test_an_unknown_assistant_is_answered_with_a_suggestion(aur: Aur, project: Path, words: list[str]) -> None:
    done = aur("init", *words, "--hosts", "claude-code,cursr")
    assert done.returncode == 1
    assert 'there is no assistant "cursr"; did you mean "cursor"?' in done.stderr
    assert not (project / ".mcp.json").exists()


def test_a_dry_run_shows_the_diff_and_writes_nothing(aur: Aur, project: Path) -> None:
    (project / ".codex").mkdir()
    (project / ".codex/config.toml").write_bytes(b'model = "o3"')
    done = aur("init", "--dry-run")
    assert done.returncode == 0
    assert "edit .codex/config.toml  the server for Codex" in done.stdout
    assert "+[mcp_servers.aurora]" in done.stdout
    assert not (project / ".aurora").exists()
    told = json.loads(aur("init", "--dry-run", "--json").stdout)
    assert told["planned"] is True
    assert "\\ No newline at end of file" in told["changes"][1]["diff"]


def test_warnings_leave_the_exit_code_alone(aur: Aur, project: Path) -> None:
    (project / ".mcp.json").write_text("{]", encoding="utf-8")
    done = aur("init", "--yes", "--no-index")
    assert done.returncode == 0
    assert "warning: .mcp.json:1:2: " in done.stdout
    assert "`aur doctor`" in done.stdout
    assert "Ready." not in done.stdout


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (None, '[WARN] .mcp.json: the entry "aurora" starts "aur", which is not an executable program here'),
        (
            "#!/bin/sh\necho 'no module tea' >&2; exit 3\n",
            '[WARN] `aur mcp`: it ended without listing its tools: "no mo',
        ),
        ("#!/no/such/interpreter\n", "[WARN] `aur mcp`: it does not start (No such file or directory)"),
    ],
    ids=["no program", "ends", "cannot run"],
)
def test_a_server_that_cannot_start_fails_its_assistant_and_the_rest_is_done(
    aur: Aur, project: Path, tmp_path: Path, program: str | None, said: str
) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"aurora": {"command": "aur", "args": ["mcp"]}}}', "utf-8")
    if program is not None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/aur").write_text(program, encoding="utf-8")
        (tmp_path / "bin/aur").chmod(0o755)
    path = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    done = aur("init", "--yes", "--hosts", "claude-code", env=path)
    assert done.returncode == 1
    assert "not set up: claude-code" in done.stdout
    lines = done.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(said))
    assert lines[at + 1].startswith("  help: ")
    assert lines[at + 1].endswith("Run `aur doctor` for details.")
    assert "=== MCP Integration Checks ===" in lines
    assert "Ready." not in done.stdout
    assert (project / ".claude/skills/aurora/SKILL.md").is_file()
    assert (project / ".aurora/memory.db").is_file()
    told = json.loads(aur("init", "--yes", "--hosts", "claude-code", "--no-index", "--json", env=path).stdout)
    (group,) = told["checks"]
    assert {one["status"] for one in group["findings"]} == {"pass", "skip", "warn"}
    assert {one["kind"] for one in group["findings"] if one["status"] == "warn"} <= {
        "mcp.config.stale",
        "mcp.server.fails",
        "mcp.stateless.fails",
    }


def test_a_failed_change_is_not_reported_as_unnecessary(aur: Aur, project: Path) -> None:
    (project / ".aurora").touch()
    done = aur("init", "--yes", "--hosts", "claude-code")
    assert "Nothing was changed.\n" in done.stdout
    assert 'warning: ".aurora" cannot be created (' in done.stdout


def test_what_a_file_holds_cannot_move_the_cursor(aur: Aur, project: Path) -> None:
    (project / ".cursor").mkdir()
    (project / ".cursor/mcp.json").write_text('{\n  // \x1b[2J\x1b]0;owned\x07\n  "a": 1\n}', encoding="utf-8")
    assert "\x1b" not in aur("init", "--dry-run").stdout


def test_hosts_are_listed_with_their_status(aur: Aur, project: Path) -> None:
    (project / ".zed").mkdir()
    assert "Zed" in aur("hosts", "list").stdout
    assert "No assistant found" not in aur("hosts", "status").stdout
    assert "Run `aur init` to connect the others." in aur("hosts", "status").stdout
    aur("init", "--yes", "--no-index")
    assert "configured" in aur("hosts", "status").stdout


def test_names_may_stand_with_commas_between_them_everywhere(aur: Aur) -> None:
    files = json.loads(aur("hosts", "status", "--hosts", "zed, cursor", "--json").stdout)["files"]
    assert [one["host"] for one in files] == ["zed", "cursor"]


def test_read_only_is_refused(aur: Aur, project: Path) -> None:
    done = aur("init", "--yes", "--read-only")
    assert done.returncode == 1
    assert "would write" in done.stderr
    assert not (project / ".aurora").exists()


def test_a_folder_that_cannot_be_created_leaves_nothing_ready(aur: Aur, project: Path) -> None:
    assert "Ready." in aur("init", "--yes", "--no-index", "--hosts", "claude-code").stdout
    shutil.rmtree(project / ".aurora")
    (project / ".aurora").touch()
    for names in (("--hosts", "claude-code"), ()):
        done = aur("init", "--yes", "--no-index", *names)
        assert "nothing was written" in done.stdout
        assert "Ready." not in done.stdout
        assert done.returncode == 1


def test_a_wrong_name_is_asked_for_again(project: Path, terminal: Terminal) -> None:
    (project / ".zed").mkdir()
    code, shown = terminal("init", "--no-index", answer="1, codx\n\x1b[31m\nzed\ny\n")
    assert 'There is no assistant "codx"; did you mean "codex"?' in shown
    assert shown.count("Which assistants?") == 3
    assert (code, (project / ".zed/settings.json").is_file()) == (0, True)
