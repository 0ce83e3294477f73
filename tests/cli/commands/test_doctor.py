"""`aur doctor` as a person types it: headings, lines, what to do, and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
    done = aur("doctor", "--only", "memory.opens,project", "--only", "workflows.valid", env=home)
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
    assert lines[-1] == "1 passed, 2 warnings, 0 failed, 4 skipped"


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


def test_a_read_only_mount_is_no_pass_and_no_fix_changes_it(project: Path, home: dict[str, str]) -> None:
    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" || exit 125; exec "$@"'
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(project)]
        program = [sys.executable, "-m", "aurora", "doctor", "--only", "project"]
        done = subprocess.run(
            [*command, *program, *words],
            env={**os.environ, **home, **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode == 125 or "unshare" in done.stderr:
            pytest.skip("this machine lets no program mount a folder")
        return done

    fixed = run("--fix")
    assert fixed.returncode == 1
    assert '[LEFT] could not run `aur init`: ".aurora" cannot be created (read-only file system)\n' in fixed.stdout, (
        fixed
    )
    (project / ".aurora").mkdir()
    (project / ".aurora/.gitignore").write_text("*\n", encoding="utf-8")
    checked = run()
    assert (checked.returncode, "[FAIL] .aurora is on a read-only file system" in checked.stdout) == (1, True)
    assert "readable and writable" not in checked.stdout
    wanted = run(READ_ONLY="1")
    assert (wanted.returncode, "[SKIP] .aurora is on a read-only file system" in wanted.stdout) == (0, True)
