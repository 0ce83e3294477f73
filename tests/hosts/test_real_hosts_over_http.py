"""The assistants themselves, from npm, answer `aur hosts status --ask` for an entry over HTTP; see test_real_hosts."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

AURORA = (sys.executable, "-m", "aurora")
PROGRAMS = {"claude-code": "claude", "gemini": "gemini", "opencode": "opencode", "qwen-code": "qwen"}
TOKEN = "AURORA_ASKED_TOKEN"  # noqa: S105 - the name of a variable

pytestmark = pytest.mark.skipif(
    not os.environ.get("AURORA_REAL_HOSTS"),
    reason="AURORA_REAL_HOSTS does not name a folder in which npm has installed the assistants; `make hosts` does",
)


@pytest.fixture
def programs() -> Path:
    return Path(os.environ["AURORA_REAL_HOSTS"]).resolve() / "node_modules" / ".bin"


@pytest.fixture
def environ(programs: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a person with a home of their own, who trusts the project everywhere."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    approved = json.dumps({"enabledMcpjsonServers": ["aurora"]})
    (home / ".claude" / "settings.json").write_text(approved, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AURORA_", "XDG_", "VIRTUAL_"))}
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"HOME": str(home), "PATH": path, "NO_COLOR": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true", "AURORA_TRUST": "1"}
    return {**kept, **own}


def run(environ: dict[str, str], folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextlib.contextmanager
def serve(environ: dict[str, str], project: Path) -> Iterator[str]:
    """Serve a project, and yield its address."""
    settings = Path(environ["HOME"]) / ".config" / "aurora" / "serve.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'[projects.shop]\nfolder = "{project}"\n', encoding="utf-8")
    words = (*AURORA, "serve", "--listen", "127.0.0.1:0")
    with subprocess.Popen(
        words, cwd=project, env={**environ, "AURORA_LOG": "error"}, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if line.strip().startswith("shop "))
            yield line.split()[1]
        finally:
            process.terminate()
            process.wait(60)


def ask(environ: dict[str, str], project: Path) -> dict[str, Any]:
    files = json.loads(run(environ, project, *AURORA, "hosts", "status", "--ask", "--json"))["files"]
    return {row["host"]: row for row in files if row["status"] == "configured"}


def test_each_assistant_says_if_it_reaches_a_server_over_http(
    environ: dict[str, str], programs: Path, tmp_path: Path
) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    installed = [host for host, program in PROGRAMS.items() if (programs / program).exists()]
    token = run(environ, tmp_path, *AURORA, "serve", "token", "add", "Ann", "--project", "shop").strip()
    with serve(environ, project) as url:
        words = ("init", "--yes", "--hosts", ",".join(installed), "--url", url, "--token-env", TOKEN)
        run({**environ, TOKEN: token}, project, *AURORA, *words)
        found = ask({**environ, TOKEN: token}, project)
        assert {host: (row["url"], row["connected"]) for host, row in found.items()} == dict.fromkeys(
            installed, (url, "yes")
        ), found
    found = ask({**environ, TOKEN: token}, project)  # the server has ended
    assert {host: row["connected"] for host, row in found.items()} == dict.fromkeys(installed, "no"), found
