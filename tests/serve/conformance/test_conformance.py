"""The official conformance suite and the Inspector against a server over HTTP: no failure without a known reason.

`make conformance` installs both from npm and runs this; `baseline.tsv` has each expected failure with its reason.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.tests.serve.conftest import Home, Served

INSTALLED = os.environ.get("AURORA_CONFORMANCE", "")
BASELINE = Path(__file__).with_name("baseline.tsv")
TIME_OF_RUN = re.compile(r"-\d{4}-\d\d-\d\dT.*")

pytestmark = pytest.mark.skipif(not INSTALLED, reason="AURORA_CONFORMANCE names no folder; run `make conformance`")


@pytest.fixture(scope="module")
def served(make_home: Callable[[], Home]) -> Iterator[tuple[Home, Served]]:
    home = make_home()
    home.environ["AURORA_TOOLSETS"] = "all"
    project = ("--project", str(home.path / "alpha"))
    with home.start(*project, command=("mcp", "--http", "127.0.0.1:0")) as server:
        yield home, server


def run_node(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    modules = Path(INSTALLED).resolve() / "node_modules"
    environ = {**os.environ, "PATH": f"{modules / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    command = [str(modules / ".bin" / "node"), str(modules / "@modelcontextprotocol" / script), *words]
    return subprocess.run(command, capture_output=True, text=True, env=environ, timeout=280, check=False)


def read_baseline(requirements: str) -> set[tuple[str, str]]:
    with BASELINE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert all(row["reason"] for row in rows)
    return {(row["scenario"], row["check"]) for row in rows if row["requirements"] == requirements}


@pytest.mark.parametrize("requirements", ["2025-11-25", "2026-07-28"])
def test_nothing_fails_that_is_not_expected(served: tuple[Home, Served], tmp_path: Path, requirements: str) -> None:
    url = f"http://127.0.0.1:{served[1].port}/mcp"
    run_node("conformance/dist/index.js", "server", "--url", url, "--requirements", requirements, "-o", str(tmp_path))
    failed, passed = set(), 0
    for file in tmp_path.rglob("checks.json"):
        scenario = TIME_OF_RUN.sub("", file.parent.name).removeprefix("server-")
        for check in json.loads(file.read_text("utf-8")):
            passed += check["status"] == "SUCCESS"
            if check["status"] == "FAILURE":
                failed.add((scenario, check["id"]))
    assert passed >= {"2025-11-25": 35, "2026-07-28": 80}[requirements], "the suite did not run"
    assert failed - read_baseline(requirements) == set()
    assert read_baseline(requirements) - failed == set(), "these pass now: take them out of baseline.tsv"


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_no_error_and_nothing_to_warn_of(served: tuple[Home, Served], era: str) -> None:
    url = f"http://127.0.0.1:{served[1].port}/mcp"
    words = ["--cli", url, "--transport", "http", "--protocol-era", era, "--method"]
    launcher = json.loads(
        (Path(INSTALLED) / "node_modules/@modelcontextprotocol/inspector/package.json").read_text("utf-8")
    )["bin"]["mcp-inspector"]
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        strict = ["--strict"] if method == "tools/list" else []
        done = run_node(f"inspector/{launcher}", *words, method, *strict)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert json.loads(done.stdout)
