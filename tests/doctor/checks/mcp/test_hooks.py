"""Hooks that start in time, too late, with an error, or not at all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN = {"mcp.hooks.fails", "mcp.hooks.foreign", "mcp.hooks.slow", "mcp.hooks.stale"}
PLACE = ".claude/settings.local.json"


def _write_hook(it: Any, program: str) -> None:
    item = {"hooks": [{"type": "command", "command": f"{program} hook session-start", "timeout": 5}]}
    it.write(PLACE, json.dumps({"hooks": {"SessionStart": [item]}}))


@pytest.fixture
def on_path(bare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The project, with a folder first on PATH for the program that a test writes."""
    monkeypatch.setenv("PATH", f"{bare.root.parent / 'programs'}{os.pathsep}{os.environ['PATH']}")
    return bare


def _write_program(it: Any, text: str) -> str:
    folder = it.root.parent / "programs"
    folder.mkdir()
    path = folder / "aur"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def _look(it: Any) -> dict[str, Any]:
    (told,) = it.look("mcp.hooks")["groups"][0]["findings"]
    found: dict[str, Any] = told
    return found


def test_a_project_without_hooks_has_none_to_try(bare: Any) -> None:
    assert _look(bare)["status"] == "skip"


@pytest.mark.requirement("triads-21")
def test_hooks_that_start_in_time_pass_with_their_time(on_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aurora.doctor.hooks.HOOK_SECONDS", 20.0)  # a busy machine takes longer than 0.2 s for a shell
    _write_hook(on_path, _write_program(on_path, "exit 0"))
    told = _look(on_path)
    assert told["status"] == "pass"
    assert told["message"].startswith("the hooks of Claude Code start in ")
    assert told["message"].endswith(
        "; none for user-prompt and file-use (`aur init --no-index --hosts claude-code --hooks` adds it)"
    )


def test_hooks_that_are_too_slow_add_nothing_and_say_so(on_path: Any) -> None:
    _write_hook(on_path, _write_program(on_path, "sleep 0.3"))
    told = _look(on_path)
    assert (told["status"], told["kind"], told["fixable"]) == ("warn", "mcp.hooks.slow", False)
    assert "add nothing" in told["message"]
    assert "of at most 200 ms" in told["message"]


def test_a_hook_that_fails_is_reported(on_path: Any) -> None:
    _write_hook(on_path, _write_program(on_path, "exit 3"))
    told = _look(on_path)
    assert (told["status"], told["kind"]) == ("fail", "mcp.hooks.fails")


def test_a_hook_whose_program_is_gone_is_written_again(bare: Any, wrong: Callable[..., list[str]]) -> None:
    _write_hook(bare, "/gone/aur")
    told = _look(bare)
    assert (told["status"], told["kind"], told["fixable"]) == ("fail", "mcp.hooks.stale", True)
    done = bare.fix("mcp.hooks")
    assert [(step["done"], step["message"].partition(":")[0]) for step in done["fixed"]] == [(True, f"edited {PLACE}")]
    assert not any("mcp.hooks.stale" in line for line in wrong(done))
    assert "/gone/aur" not in (bare.root / PLACE).read_text(encoding="utf-8")


def test_a_program_of_the_project_is_not_run(bare: Any) -> None:
    program = bare.write("bin/aur", f"#!/bin/sh\ntouch {bare.root}/was-run\n")
    program.chmod(0o755)
    _write_hook(bare, str(program))
    assert _look(bare)["kind"] == "mcp.hooks.stale"
    assert not (bare.root / "was-run").exists()


@pytest.mark.parametrize("before", ["touch MARK; aur", "sh -c 'touch MARK' aur", "PROGRAM"])
def test_a_program_that_a_clone_names_is_not_run(bare: Any, before: str) -> None:
    mark = bare.root.parent / "was-run"
    program = _write_program(bare, f"touch {mark}")
    _write_hook(bare, before.replace("MARK", str(mark)).replace("PROGRAM", program))

    told = _look(bare)

    assert (told["status"], told["kind"], told["fixable"]) == ("warn", "mcp.hooks.foreign", False)
    assert f"remove it from {PLACE} before you start Claude Code" in told["steps"][0]
    assert [path.name for path in bare.root.parent.iterdir() if path.name.startswith("was-run")] == []
