"""The walks of `make hosts`, with a host of a few lines in the place of one from npm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WALK = Path(__file__).resolve().parents[2] / "bench" / "walk.py"


def run_walks(programs: Path, walks: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WALK), str(programs), "--hosts", "claude-code", "--walks", walks]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, env=os.environ)


@pytest.mark.slow
def test_a_host_walks_with_answers_as_text_and_with_mistakes_to_the_end(programs: Path) -> None:
    done = run_walks(programs, "soar-fast")

    *_, plain, text, mistakes = (line.split() for line in done.stdout.splitlines())
    assert done.returncode == 0, done.stdout + done.stderr
    assert [row[-1] for row in (plain, text, mistakes)] == ["finished"] * 3
    assert mistakes[-2] == "9/9"


def test_a_host_that_does_not_ask_the_model_is_reported(programs: Path) -> None:
    (programs / "node_modules" / ".bin" / "claude").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")

    done = run_walks(programs, "code-review, mistakes")

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("NOT FINISHED: the model was not asked")


NPM = """#!/bin/sh
for last; do :; done
case "$last" in
*claude*) mkdir -p "{folder}/node_modules/.bin"
  printf '#!/bin/sh\\necho 1.0\\n' > "{folder}/node_modules/.bin/claude"; chmod +x "{folder}/node_modules/.bin/claude";;
*copilot*) mkdir -p "{folder}/node_modules/.bin"
  printf '#!/bin/sh\\necho "Error: no binary for this platform"; exit 1\\n' > "{folder}/node_modules/.bin/copilot"
  chmod +x "{folder}/node_modules/.bin/copilot";;
*) echo "npm error code E404" >&2; echo "npm error 404 Not Found" >&2; exit 1;;
esac
"""


def install(folder: Path, hosts: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WALK.with_name("install_hosts.py")), str(folder), "--hosts", hosts]
    environment = {**os.environ, "PATH": f"{path}:/usr/bin:/bin" if path.exists() else str(path)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def test_each_missing_host_is_installed_and_each_that_cannot_be_is_named(tmp_path: Path) -> None:
    folder, path = tmp_path / "hosts", tmp_path / "bin"
    path.mkdir()
    (path / "npm").write_text(NPM.format(folder=folder), encoding="utf-8")
    (path / "npm").chmod(0o755)

    done = install(folder, "claude-code,codex,copilot-cli", path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "claude-code: installed",
        "codex: NOT INSTALLED: npm failed: npm error 404 Not Found",
        "copilot-cli: NOT INSTALLED: copilot --version failed: Error: no binary for this platform",
    ]


def test_without_npm_the_hosts_that_are_there_are_used(programs: Path, tmp_path: Path) -> None:
    (programs / "node_modules" / ".bin" / "claude").write_text("#!/bin/sh\necho 1.0\n", encoding="utf-8")

    done = install(programs, "claude-code,codex", tmp_path / "no-such-folder")

    assert done.returncode == 0, done.stderr
    missing = "codex: NOT INSTALLED: npm is not on PATH: install Node.js"
    assert done.stdout.splitlines() == ["claude-code: installed", missing]
    assert install(tmp_path / "empty", "codex", tmp_path / "no-such-folder").returncode == 1


def test_a_host_that_is_not_installed_is_reported_and_the_others_walk(programs: Path) -> None:
    command = [sys.executable, str(WALK), str(programs), "--hosts", "codex", "--walks", "soar"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 1
    assert f"NOT WALKED: codex is not installed in {programs}" in done.stdout
