"""Packages of the hosts on npm: install what is missing, and tell what cannot be installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .launches import LAUNCHES
from .process import run_host
from .project import make_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_INSTALL_SECONDS = 900
_MAX_VERSION_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Package:
    """Package on npm, and the program that it installs."""

    name: str
    program: str


PACKAGES = {
    "claude-code": Package("@anthropic-ai/claude-code", "claude"),
    "codex": Package("@openai/codex", "codex"),
    "gemini": Package("@google/gemini-cli", "gemini"),
    "opencode": Package("opencode-ai", "opencode"),
    "copilot-cli": Package("@github/copilot", "copilot"),
    "qwen-code": Package("@qwen-code/qwen-code", "qwen"),
    "cline-cli": Package("cline", "cline"),
    "continue-cli": Package("@continuedev/cli", "cn"),
}
"""By the name that `aur init --hosts` takes."""


def choose_names(names: str) -> list[str]:
    """Return the hosts of these names, which commas separate; all that can be launched without a name.

    Ends the process for a name that no host has.
    """
    chosen = names.split(",") if names else list(LAUNCHES)
    if unknown := [name for name in chosen if name not in LAUNCHES]:
        sys.exit(f"no host is called {', '.join(unknown)}; there are {', '.join(LAUNCHES)}")
    return chosen


def locate_programs(folder: Path) -> Path:
    """Return the folder in which npm puts the programs."""
    return (folder / "node_modules" / ".bin").resolve()


def is_installed(folder: Path, host: str) -> bool:
    """Return True if npm has put the host's program into the folder."""
    return (locate_programs(folder) / PACKAGES[host].program).exists()


def install_missing(folder: Path, hosts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Install the hosts that are missing or do not start, one after the other.

    Args:
        folder: npm's folder, with `node_modules`.
        hosts: names of hosts.

    Yields:
        Each host, with the reason why it cannot be used; empty if it starts.
    """
    for host in hosts:
        if is_installed(folder, host) and not _try_program(folder, host):
            yield host, ""
            continue
        yield host, _install_package(folder, host) or _try_program(folder, host)


def _install_package(folder: Path, host: str) -> str:
    """Install one package; return the reason if npm fails."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not on PATH: install Node.js"
    folder.mkdir(parents=True, exist_ok=True)
    command = (npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGES[host].name)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_MAX_INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"npm did not end within {_MAX_INSTALL_SECONDS} s"
    return _choose_reason(done.stderr + done.stdout, "npm failed") if done.returncode else ""


def _try_program(folder: Path, host: str) -> str:
    """Run the program for its version, in an empty home; return the reason if it fails."""
    program = PACKAGES[host].program
    if not is_installed(folder, host):
        return f"npm installed no program {program}"
    with tempfile.TemporaryDirectory(prefix="aurora-version-", ignore_cleanup_errors=True) as home:
        environment = make_environment(Path(home), locate_programs(folder))
        output, code = run_host((program, "--version"), Path(home), environment, _MAX_VERSION_SECONDS)
    return _choose_reason(output, f"{program} --version failed") if code != 0 else ""


def _choose_reason(output: str, otherwise: str) -> str:
    """Choose the line that names the error, in an output of many lines."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [line for line in lines if "error" in line.lower() and not line.lower().startswith("npm error code")]
    return f"{otherwise}: {(named or lines)[0][:200]}" if lines else otherwise
