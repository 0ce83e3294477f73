"""Server over HTTP for a walk: `aur serve` with a token for the project, and the entry of `aur init --url`."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .project import Project

VARIABLE = "AURORA_WALK_TOKEN"
_STOP_SECONDS = 60
HOSTS = frozenset({"claude-code", "codex", "gemini", "qwen-code", "opencode"})
"""Hosts that read the token from the environment."""


@contextlib.contextmanager
def serve_project(project: Project, host: str) -> Iterator[dict[str, str]]:
    """Serve the project, let the host's entry lead to the server, and yield the variable with the token."""
    settings = project.home / ".config" / "aurora" / "serve.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'[projects.click]\nfolder = "{project.root}"\n', encoding="utf-8")
    token = project.run("aur", "serve", "token", "add", "Walk", "--project", "click", "--scope", "write").strip()
    with subprocess.Popen(
        (sys.executable, "-m", "aurora", "serve", "--listen", "127.0.0.1:0"),
        cwd=project.home,
        env={**project.environment, "AURORA_LOG": "error"},  # a line for each call would fill the pipe
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            url = _read_address(process)
            words = ("aur", "init", "--yes", "--allow-tools", "--hosts", host, "--url", url, "--token-env", VARIABLE)
            project.run(*words)
            yield {VARIABLE: token}
        finally:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            finally:
                process.kill()


def _read_address(process: subprocess.Popen[str]) -> str:
    """Read the address that the server prints first."""
    if process.stderr is None:
        raise LookupError("the server has no standard error")
    for line in process.stderr:
        if "serving" in line and "127.0.0.1:" in line:
            port = line.split("127.0.0.1:")[1].split(",")[0].split("/")[0].strip()
            return f"http://127.0.0.1:{port}/p/click/mcp"
    raise LookupError("the server ended without an address")
