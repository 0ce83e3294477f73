"""`aur doctor` as a person types it: headings, lines, what to do, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """A person who has nothing yet."""
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home")}


def test_warnings_are_reported_with_their_fixes_and_exit_with_0(aur: Any, home: dict[str, str]) -> None:
    done = aur("doctor", "--only", "memory.opens,project", "--only", "workflows.tools", env=home)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("===")] == [
        "=== Workflow Checks ===",
        "=== Memory Checks ===",
        "=== Project Checks ===",
        "=== Suggested Fixes ===",
    ]
    assert '[WARN] there is no memory yet: ".aurora/memory.db" does not exist' in lines
    assert "- Run `aur doctor --fix`, which does this:" in lines
    assert "  * Run `aur mem index`." in lines
    assert lines[-1] == "4 passed, 2 warnings, 0 failed, 1 skipped"


def test_a_failure_is_the_exit_code_1_and_json_says_the_same(aur: Any, project: Path, home: dict[str, str]) -> None:
    (project / ".mcp.json").write_text("{", encoding="utf-8")
    done = aur("doctor", "--only", "mcp.config", env=home)
    assert done.returncode == 1
    assert "[FAIL] .mcp.json:1:2:" in done.stdout
    said = aur("doctor", "--only", "mcp.config", "--json", env=home)
    assert said.returncode == 1
    told = json.loads(said.stdout)
    assert (told["ok"], told["counts"]) == (False, {"pass": 0, "warn": 0, "fail": 1, "skip": 0})


def test_fix_shows_each_step_and_then_the_checks(aur: Any, project: Path, home: dict[str, str]) -> None:
    done = aur("doctor", "--fix", "--only", "project", env=home)
    assert done.returncode == 0
    assert done.stdout.splitlines()[:5] == [
        "=== Fixes ===",
        "[DONE] created .aurora/ with its .gitignore",
        "",
        "=== Project Checks ===",
        "[PASS] .aurora/ exists, and keeps the memory out of the repository",
    ]
    assert (project / ".aurora" / ".gitignore").is_file()


def test_read_only_fix_is_forbidden_and_looking_is_not(aur: Any, project: Path, home: dict[str, str]) -> None:
    refused = aur("doctor", "--fix", "--read-only", env=home)
    assert refused.returncode == 1
    assert '"doctor.fix" would write' in refused.stderr
    assert aur("doctor", "--only", "system.python", env={**home, "READ_ONLY": "1"}).returncode == 0
    assert not (project / ".aurora").exists()


def test_an_unknown_check_is_answered_with_a_suggestion(aur: Any, home: dict[str, str]) -> None:
    done = aur("doctor", "--only", "memroy", env=home)
    assert done.returncode == 1
    assert 'there is no check "memroy"; did you mean "memory"?' in done.stderr
