from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import mark_material
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

_QUESTIONS: tuple[dict[str, Any], ...] = (
    {"query": "how are parameter types converted"},
    {"query": "BadParameter.format_message"},
    {"query": "`UsageError` exit code", "types": ["code"], "limit": 3},
    {"query": '"what was typed"'},
    {"query": "open a lazily opened file", "path": "click/*.py", "offset": 2},
    {"query": "the README's heading", "types": ["know"]},
    {"query": "nothing of the kind zzzz"},
    {"query": "naïve 東京 <s> \x7f \"unclosed \\ 'mixed"},
)


@pytest.fixture
def indexed(project: Path) -> Path:
    with Workspace(project) as workspace:
        workspace.memory.index(project)
        fact = {"type": "know", "kind": "fact", "symbol": "typing", "metadata": {}}
        workspace.memory.remember(text="A parameter's type decides how what was typed is converted.", **fact)
    return project


def options(question: dict[str, Any]) -> list[str]:
    """The question as a person types it."""
    words = [question["query"]]
    for name, value in question.items():
        if name != "query":
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name}", str(one)]
    return words


def test_a_cold_command_finds_the_same_hits_as_a_warm_server(indexed: Path, aur: Any) -> None:
    with Workspace(indexed) as workspace:
        workspace.memory.warm_up()
        for question in _QUESTIONS:
            done = aur("--json", "mem", "search", *options(question))
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout) == mark_material(call_tool(workspace, "mem.search", question))


def test_a_cold_search_loads_no_module_that_it_does_not_need(indexed: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "aurora", "mem", "search", "how are types converted"],
        cwd=indexed,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert {"aurora.memory.search.searcher", "pydantic", "numpy"} <= loaded
    writers = {
        f"aurora.memory.{name}"
        for name in ("indexing.run", "text_index.pack", "text_index.write", "graph.query.graph", "records.journal")
    }
    assert not [name for name in loaded if name.startswith("aurora.interpreter.")], "its face alone loads nothing"
    assert not loaded & {
        *writers,
        "tokenizers",
        "rich",
        "logging",
        "difflib",
        "importlib.metadata",
    }
    assert [name for name in loaded if name.startswith("aurora.interpreter.")] == []  # its face alone loads nothing


def test_disabling_one_plugin_keeps_the_others(environment: dict[str, str]) -> None:
    code = (
        "import os, sys\n"
        "from aurora.cli.entry import tune_process\n"
        "tune_process(['mem', 'search'])\n"
        "from pydantic import BaseModel\n"
        "class Made(BaseModel): ...\n"
        "print(os.environ['PYDANTIC_DISABLE_PLUGINS'], 'importlib.metadata' in sys.modules)\n"
    )

    def said(some: dict[str, str]) -> str:
        done = subprocess.run([sys.executable, "-c", code], env=some, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert said({**environment, "PYDANTIC_DISABLE_PLUGINS": "another"}) == "another True"
    assert said(environment) == "__all__ False"


def test_other_attributes_come_from_the_real_plugin_loader(environment: dict[str, str]) -> None:
    code = (
        "from aurora.cli.entry import tune_process\n"
        "tune_process(['mem', 'search'])\n"
        "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP, get_plugins\n"
        "import pydantic.plugin._loader as real\n"
        "print(PYDANTIC_ENTRY_POINT_GROUP, list(get_plugins()), list(real.get_plugins()), real.__file__ is not None)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("pydantic [] [] True\n", "")
