"""The assistants themselves, from npm, find Aurora connected after `aur init`; `make hosts` asks for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS = ("claude-code", "gemini", "opencode", "codex", "copilot-cli", "qwen-code")

PROGRAMS = {"claude-code": "claude", "gemini": "gemini", "opencode": "opencode", "qwen-code": "qwen"}
"""Of the hosts that can be asked."""

pytestmark = pytest.mark.skipif(
    not os.environ.get("AURORA_REAL_HOSTS"),
    reason="AURORA_REAL_HOSTS does not name a folder in which npm has installed the assistants; `make hosts` does",
)


@pytest.fixture(scope="module")
def programs() -> Path:
    return Path(os.environ["AURORA_REAL_HOSTS"]).resolve() / "node_modules" / ".bin"


@pytest.fixture
def told(programs: Path, tmp_path: Path) -> Callable[..., str]:
    """What a program says in a project that `aur init` has set up, in an empty home."""
    project, home = tmp_path.resolve() / "shop", tmp_path.resolve() / "home"
    for folder in (project, home, project / ".git"):
        folder.mkdir()
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "XDG_CONFIG_HOME"}}
    environment = {**kept, "HOME": str(home), "PATH": path, "NO_COLOR": "1"}

    def run(*words: str, **more: str) -> str:
        if not (Path(words[0]).is_absolute() or (programs / words[0]).exists()):
            pytest.skip(f"{words[0]} is not installed in {programs}")
        done = subprocess.run(
            words, cwd=project, env={**environment, **more}, capture_output=True, text=True, timeout=120, check=False
        )
        return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)

    said = run(sys.executable, "-m", "aurora", "init", "--yes", "--no-index", "--hosts", ",".join(HOSTS))
    assert said.count(" is valid for ") == len(HOSTS), said
    assert "[WARN]" not in said, said
    assert "[FAIL]" not in said, said
    return run


def test_gemini_reports_aurora_connected_in_a_trusted_folder(told: Callable[..., str]) -> None:
    said = told("gemini", "mcp", "list", GEMINI_CLI_TRUST_WORKSPACE="true")
    assert any("aurora: aur mcp" in line and line.endswith("Connected") for line in said.splitlines()), said


def test_the_status_says_what_the_assistants_themselves_say(told: Callable[..., str], programs: Path) -> None:
    told(sys.executable, "-m", "aurora", "trust", "--yes")
    said = told(sys.executable, "-m", "aurora", "hosts", "status", "--ask", "--json", GEMINI_CLI_TRUST_WORKSPACE="true")
    rows = {row["host"]: row for row in json.loads(said)["files"] if row["status"] == "configured"}
    found = {host: (row["connected"], bool(row["said"])) for host, row in rows.items()}
    expected = {
        "claude-code": ("no", True),  # nobody has approved it
        "gemini": ("yes", True),
        "opencode": ("yes", True),
        "codex": ("not known", False),
        "copilot-cli": ("not known", False),
        "qwen-code": ("yes", True),
    }
    absent = {host for host, program in PROGRAMS.items() if not (programs / program).exists()}
    assert found == expected | dict.fromkeys(absent, ("not known", True))
    assert "claude-code" in absent or "Pending approval" in rows["claude-code"]["said"]


def test_opencode_reports_aurora_connected(told: Callable[..., str]) -> None:
    assert "aurora connected" in " ".join(told("opencode", "mcp", "list").split())


def test_claude_code_asks_for_approval_and_then_reports_aurora_connected(
    told: Callable[..., str], tmp_path: Path
) -> None:
    assert "Pending approval" in told("claude", "mcp", "list")
    approved = json.dumps({"enabledMcpjsonServers": ["aurora"]})
    (tmp_path / "home/.claude").mkdir(exist_ok=True)
    (tmp_path / "home/.claude/settings.json").write_text(approved, encoding="utf-8")
    said = told("claude", "mcp", "list")
    assert any("aurora: aur mcp" in line and "Connected" in line for line in said.splitlines()), said


def test_codex_reads_its_entry_in_a_trusted_project(told: Callable[..., str], tmp_path: Path) -> None:
    trusted = f'[projects."{tmp_path.resolve() / "shop"}"]\ntrust_level = "trusted"\n'
    (tmp_path / "home/.codex").mkdir(exist_ok=True)
    (tmp_path / "home/.codex/config.toml").write_text(trusted, encoding="utf-8")
    (server,), _ = json.JSONDecoder().raw_decode(told("codex", "mcp", "list", "--json"))  # a warning may follow
    assert server["name"] == "aurora"
    assert (server["transport"]["command"], server["transport"]["args"]) == ("aur", ["mcp"])


def test_copilot_reads_its_entry_in_a_trusted_folder(told: Callable[..., str], tmp_path: Path) -> None:
    trusted = json.dumps({"trustedFolders": [str(tmp_path.resolve() / "shop")]})
    (tmp_path / "home/.copilot").mkdir(exist_ok=True)
    (tmp_path / "home/.copilot/config.json").write_text(trusted, encoding="utf-8")
    listed, _ = json.JSONDecoder().raw_decode(told("copilot", "mcp", "list", "--json"))  # a note may follow
    assert listed["mcpServers"]["aurora"]["args"] == ["mcp"]
