"""Project in which the examples of all tools find what they are about, and comparable values of their outputs."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory.sqlite.backup import automatic
from aurora.tools.catalog.manifest import VOLATILE_FIELDS
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

# What varies within a text: the name of a backup, a moment, a run.
BACKUP = re.compile(r"\d{8}-\d{6}-([a-z-]+?)(?:-\d+)?\.db")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)?")
RUN = re.compile(r"(?<=run=')[a-z0-9]+")
_LAST = {"init.plan", "init.run", "init.remove", "workflow.new"}
"""These write files into the project, and come last: a server that looks after its index would see them."""
_FIRST = {"mem.activation", "mem.export"}
"""They report uses of chunks, and a search of a model uses its hits, while one of a person does not."""
_USES = {"accesses", "used"}
"""Counts of uses in the statistics; as above."""
_BEFORE = {"mem.undo": "mem.forget"}
_QUICKER = {"workflow.simulate": {"files": ["design"]}}
"""Arguments in place of those of an example that takes seconds."""


def list_in_playing_order(tools: Iterable[Any]) -> list[Any]:
    """List the tools in an order in which each example finds what it needs."""
    return sorted(tools, key=lambda tool: (tool.name not in _FIRST, tool.name in _LAST))


def get_arguments(tool: Any, number: int) -> dict[str, Any]:
    """Return the arguments of an example, or quicker ones for the same work."""
    return dict(_QUICKER.get(tool.name, tool.examples[number].arguments))


def run_before(tool: Any, workspace: Workspace) -> None:
    """Run the example of the tool whose work this one undoes."""
    if before := _BEFORE.get(tool.name):
        call_tool(workspace, before, ToolRegistry().find(before).examples[0].arguments)


def allow_program(folder: Path, monkeypatch: pytest.MonkeyPatch, aur_program: str) -> None:
    """Make a home in the folder, in which the person allows the program of the example of `command.run`."""
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{Path(aur_program).parent}:{os.environ['PATH']}")
    config = home / ".config" / "aurora" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[commands]]\nprogram = "pytest"\npath = "/bin/echo"\narguments = ["-q"]\n', encoding="utf-8")
    config.chmod(0o600)


def prepare_project(root: Path) -> str:
    """Fill a project: an agent, a workflow, an index, a backup, a fact and a run; return the run."""
    agent = root / ".claude" / "agents" / "reviewer.md"
    agent.parent.mkdir(parents=True, exist_ok=True)
    agent.write_text("---\nname: reviewer\ndescription: Reviews code.\n---\nRead it twice.\n", encoding="utf-8")
    (root / ".aurora" / "workflows").mkdir(parents=True)
    (root / ".auroraignore").write_text(
        "*.jsonl\n", encoding="utf-8"
    )  # an export tells moments, and how long they took
    (root / ".aurora" / "workflows" / "examples.yaml").write_text(json.dumps(workflow()), encoding="utf-8")
    for path in root.rglob("*"):  # files of the last second count as equally old, wherever the clock was set back
        if path.is_file() and not path.is_symlink():
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 3600 * 10**9))
    with Workspace(root) as workspace:
        for name in ("mem.index", "mem.backup", "mem.add"):
            call_tool(workspace, name, ToolRegistry().find(name).examples[0].arguments)
        run: str = call_tool(workspace, "workflow.step", {"phase": "assess", "query": "What is a type?"})["run"]
    with pytest.MonkeyPatch.context() as patch:  # without a recent one, a server makes one after 20 s, and others none
        patch.setattr(automatic, "_is_due", lambda _: True)
        patch.setattr(automatic, "_read_clock", lambda: time.time() - 600)
        assert automatic.make_hourly(root / ".aurora" / "memory.db")
    return run


def workflow() -> dict[str, Any]:
    """A job with a phase for each example of a tool that phases of jobs may use."""
    phases: dict[str, Any] = {}
    for tool in ToolRegistry().load_all():
        for number, example in enumerate(tool.examples if tool.phase_use != "none" else ()):
            phases[f"{tool.stable_name}_{number}"] = {
                "title": example.title,
                "inputs": {"which": {"type": "string"}} if "run" in example.arguments else {},
                "uses": tool.name,
                "with": {name: literal(name, value) for name, value in example.arguments.items()},
                "params": dict(example.params),
                "output": {"type": "object"},
                "next_action": "end",
            }
    for name, following in itertools.pairwise(phases):  # a phase that nothing leads to would be an error
        phases[name]["next_action"] = following
    return {"aurora": 1, "name": "examples", "version": "1.0.0", "start": next(iter(phases)), "phases": phases}


def literal(name: str, value: Any) -> str:
    return "which" if name == "run" else "`" + json.dumps(value).replace("`", "\\`") + "`"


def comparable(value: Any, root: Path) -> Any:
    """The value with the kind of what varies in its place; every other leaf as it is."""
    if isinstance(value, dict):
        varying = VOLATILE_FIELDS.keys() | _USES
        return {key: kind(inner) if key in varying else comparable(inner, root) for key, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner, root) for inner in value]
    if isinstance(value, str):
        if value.startswith('{"aurora":"memory"'):  # an export: a JSON value a line
            return [comparable(json.loads(line), root) for line in value.splitlines()]
        here = value.replace(f"{root}/", "").replace(str(root), "ROOT")
        return RUN.sub("RUN", MOMENT.sub("MOMENT", BACKUP.sub(r"MOMENT-\1.db", here)))
    return round(value, 3) if isinstance(value, float) else value


def kind(value: Any) -> Any:
    """Of a value that varies: what it is, and in which parts."""
    if isinstance(value, dict):
        return {key: kind(inner) for key, inner in value.items()}
    return "number" if isinstance(value, float | int) else type(value).__name__
