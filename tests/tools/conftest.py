"""A small real project with a real memory, and the shipped workflow's own settings for each tool."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter.language.loader import load_workflow
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOAR = Path(__file__).resolve().parents[2] / "workflows" / "soar.yaml"

PARSER = '''"""Reads option strings."""


class OptionParser:
    """Parses options from the command line."""

    def parse_args(self, args):
        """Return the values of all options."""
        return [self.convert(arg) for arg in args]

    def convert(self, value):
        """Convert a value to the type of its option."""
        if not value:
            raise BadOption("empty option")
        return value


class BadOption(Exception):
    """Reported when an option cannot be converted."""
'''

GUIDE = """# Guide

## Reporting errors

A bad option is reported on standard error, with the usage line above it.
"""


@pytest.fixture(scope="session")
def soar() -> dict[str, Any]:
    """The shipped workflow, as its YAML and the files with its settings say it."""
    definition = load_workflow(SOAR, source="shipped", base_of=lambda *_: None).definition
    assert definition is not None
    loaded: dict[str, Any] = definition.document.data
    return loaded


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home folder with nothing in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def account_state() -> Path:
    """The folder with the state of the account that makes the filled project."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")


@pytest.fixture
def own_home(home: Path, account_state: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder of that account, which knows its memories."""
    monkeypatch.setenv("XDG_STATE_HOME", str(account_state))
    return home


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with something of all that a tool that writes could touch; to be copied before it is written."""
    root = tmp_path_factory.mktemp("filled") / "project"
    root.mkdir()
    (root / "README.md").write_text("# Files\n\nHow files are skipped.\n", encoding="utf-8")
    with Workspace(root) as workspace:
        for name in ("mem.index", "mem.backup", "mem.add"):
            call_tool(workspace, name, ToolRegistry().find(name).examples[0].arguments)
        call_tool(workspace, "workflow.step", {"phase": "assess", "query": "What is a file?"})
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project of two files."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "src" / "parser.py").write_text(PARSER, encoding="utf-8")
    (folder / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    return folder


@pytest.fixture
def workspace(root: Path, home: Path) -> Iterator[Workspace]:  # noqa: ARG001 - the home must be empty
    """The project, open, with an empty memory."""
    with Workspace(root) as opened:
        yield opened


@pytest.fixture
def indexed(workspace: Workspace) -> Workspace:
    """The project with its memory filled."""
    workspace.memory.index(workspace.root)
    return workspace


@pytest.fixture
def use(workspace: Workspace, soar: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    """Call the tool of a phase, checked as the engine has it checked, with the shipped settings or others."""

    def call(phase: str, arguments: dict[str, Any], **changed: Any) -> dict[str, Any]:
        spec = soar["phases"][phase]
        return call_tool(workspace, spec["uses"], arguments, params={**spec.get("params", {}), **changed})

    return call
