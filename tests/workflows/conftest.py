"""Small real project in git, and an assistant with recorded answers and edits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from aurora.interpreter import to_compact_json
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
LONGEST_WALK = 40
DAY = "2026-01-05T12:00:00+00:00"
WHO = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
    ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", DAY),
)}  # fmt: skip
"""The same commit has the same id on every machine."""


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in the project."""

    def run(*words: str) -> str:
        environment = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *words], cwd=tmp_path / "shop", env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    return run


@pytest.fixture
def versioned(tmp_path: Path, git: Callable[..., str]) -> Iterator[Workspace]:
    """Open the project with one commit, indexed."""
    root = tmp_path / "shop"
    shutil.copytree(HERE / "project", root)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "The shop")
    with Workspace(root) as workspace:
        workspace.memory.index(workspace.root)
        yield workspace


@pytest.fixture
def changed(versioned: Workspace) -> Workspace:
    """Open the project with an uncommitted change, a new file and a generated one."""
    root = versioned.root
    sessions = root / "shop" / "sessions.py"
    sessions.write_text(sessions.read_text(encoding="utf-8").replace("return self._sessions.get(token)", "return None"))
    (root / "shop" / "clock.py").write_text("import time\n\n\ndef now():\n    return time.time()\n", encoding="utf-8")
    (root / "poetry.lock").write_text("[[package]]\n", encoding="utf-8")
    return versioned


@pytest.fixture
def recorded() -> Callable[[str], dict[str, Any]]:
    """Return a reader of the assistant's recorded answers by file name."""

    def read(name: str) -> dict[str, Any]:
        found: dict[str, Any] = YAML(typ="safe").load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))
        return found

    return read


@pytest.fixture
def walk(git: Callable[..., str]) -> Callable[..., list[dict[str, Any]]]:
    """Walk a workflow to its end with the recorded edits and answers; return all responses.

    A phase that comes several times takes its recordings in turn, and the last of them again and again. The
    last response is the end, after the answer to the last prompt.
    """

    def walk(workspace: Workspace, story: dict[str, Any]) -> list[dict[str, Any]]:
        responses = [step_workflow(workspace, dict(story["begin"]))]
        visits: dict[str, int] = {}
        while responses[-1]["next_call"] and len(responses) < LONGEST_WALK:
            last = responses[-1]
            brought: dict[str, Any] = {}
            if "prompt_template" in last:
                turns = story["phases"][last["phase"]]
                turn = turns[min(visits.get(last["phase"], 0), len(turns) - 1)]
                visits[last["phase"]] = visits.get(last["phase"], 0) + 1
                for path, text in turn.get("writes", {}).items():
                    (workspace.root / path).parent.mkdir(parents=True, exist_ok=True)
                    (workspace.root / path).write_text(text, encoding="utf-8")
                for words in turn.get("git", ()):
                    git(*words)
                brought = {"answer": turn["answer"]}
            responses.append(step_workflow(workspace, {**last["next_call"]["arguments"], **brought}))
        return responses

    return walk


@pytest.fixture
def scrubbed() -> Callable[[dict[str, Any]], Any]:
    """Remove from a response what differs from run to run."""

    def scrub(response: dict[str, Any]) -> Any:
        text = to_compact_json(response)
        if response["run"]:
            text = text.replace(response["run"], "RUN")
        data = json.loads(text)
        assert data["metadata"]["duration_ms"] > 0
        data["metadata"]["duration_ms"] = 0
        return data

    return scrub
