"""The walks of `make hosts`, with a host of a few lines in the place of one from npm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

WALK = Path(__file__).resolve().parents[2] / "bench" / "walk.py"


def run_walks(programs: Path, walks: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WALK), str(programs), "--hosts", "claude-code", "--walks", walks]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, env=os.environ)


def test_a_host_walks_with_mistakes_to_the_end(programs: Path) -> None:
    done = run_walks(programs, "soar-fast, mistakes")

    mistakes = done.stdout.splitlines()[-1].split()
    assert done.returncode == 0, done.stdout + done.stderr
    assert mistakes[-2:] == ["9/9", "finished"]


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


LEAVING = """
import subprocess
nowhere = subprocess.DEVNULL
print(subprocess.Popen(["sleep", "600"], start_new_session=True, stdout=nowhere, stderr=nowhere).pid)
"""
RUNNING = """
import os, sys
from pathlib import Path
from hosts.process import run_host
print(run_host((sys.executable, "-c", sys.argv[1]), Path.cwd(), dict(os.environ), 30)[0])
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not tell the environments")
def test_a_process_that_a_host_leaves_in_a_session_of_its_own_is_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNNING, LEAVING]
    environment = {**os.environ, "PYTHONPATH": str(WALK.parent)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    stat = Path(f"/proc/{int(done.stdout)}/stat")
    deadline = time.monotonic() + 10
    while stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "the process still runs"
        time.sleep(0.01)


READING = """
import json, sys
from hosts.reading import read_result
seen = [read_result(text) for text in json.load(sys.stdin)]
print(json.dumps([[one.error.get("code"), one.is_readable_error, one.is_refused_by_host] for one in seen]))
"""
ERROR = {"status": "error", "error": {"code": "NOT_FOUND", "message": "no chunk", "details": {}, "help": "Search."}}
BLOCKS = [{"type": "text", "text": json.dumps(ERROR)}]
OF_QWEN = {
    "functionResponse": {"response": {"error": {"content": BLOCKS, "structuredContent": ERROR, "isError": True}}}
}


def test_an_error_is_read_as_each_host_shows_it_and_not_from_the_protocol_around_it() -> None:
    shown = [
        json.dumps(ERROR),
        json.dumps(BLOCKS),
        f'reported tool error for function call: {{"name": "get"}} with response: [{json.dumps(OF_QWEN)}]',
        json.dumps({"error": {"content": [{"type": "text", "text": "does not match"}]}}),
        'Required parameter "query" missing for tool "aurora_search"',
        "params/phase must be equal to one of the allowed values",
    ]
    environment = {**os.environ, "PYTHONPATH": str(WALK.parent)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", READING],
        input=json.dumps(shown),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    readable, refused = ["NOT_FOUND", True, False], [None, False, True]
    assert json.loads(done.stdout) == [readable, readable, readable, [None, False, False], refused, refused]
