"""No value of any argument of any tool is a bug: it is used, or refused with an error that says why."""

from __future__ import annotations

import copy
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.mcp.protocol_server import build_input_schema
from aurora.tools.runtime import Workspace, call_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTREMES: tuple[Any, ...] = (
    *(10**30, -(10**30), 2**63, -1, 1e308),
    *("9999-12-31", "0000-00-00", "\0", "\ud800", "", "x" * 100_000),
    *(None, True, [], {}),
)
LISTED: tuple[Any, ...] = (2**63, "\0", "x" * 100_000, None)
"""Those that are also tried as the item of a list."""
TINY = """aurora: 1
name: tiny
version: 1.0.0
start: one
phases: { one: { uses: mem.stats, next_action: end } }
"""
SKIPPED = {
    "doctor.fix": "changes the configuration of the assistants, and starts the server",
    "doctor.run": "starts the server",
    "init.remove": "changes the configuration of the assistants",
    "init.run": "changes the configuration of the assistants, and starts the server",
}
OUTSIDE, INSIDE = {"name": "print"}, {"name": "brew"}
FURTHER: dict[str, tuple[dict[str, Any], ...]] = {
    "graph.callers": (OUTSIDE, INSIDE),
    "graph.implementations": (OUTSIDE, INSIDE),
    "graph.members": (INSIDE,),
    "graph.neighbors": (OUTSIDE, INSIDE),
    "mem.get": ({"path": "README.md"},),
    "runs.show": ({"run": "RUN"}, {"run": "RUN", "step": 1}),
    "workflow.explain": ({"run": "RUN"}, {"run": "RUN", "step": 1}),
    "workflow.simulate": ({"files": ["tiny"]},),
    "workflow.step": ({"phase": "retrieve", "run": "RUN"}, {"phase": "assess", "query": "a"}),
    "workflow.test": ({"files": ["tiny"]},),
}
"""Arguments besides those of the examples, with which a value gets further into a tool."""
SLOW = frozenset({"workflow.simulate", "workflow.test"})
"""Tools whose examples run a shipped workflow; the tiny one takes the same arguments."""
TOOLS = {tool.name: tool for tool in ToolRegistry().load_all()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, str]]:
    """A trusted project with a memory, a backup, a workflow and a run."""
    folder = tmp_path_factory.mktemp("extreme")
    root = folder / "project"
    (root / ".aurora" / "workflows").mkdir(parents=True)
    (root / ".aurora" / "workflows" / "tiny.yaml").write_text(TINY, encoding="utf-8")
    (root / "README.md").write_text("# Kettle\n\nHow files are skipped.\n", encoding="utf-8")
    (root / "kettle.py").write_text("def brew():\n    print(1)\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, Workspace(root) as workspace:
        patch.setenv("HOME", str(folder))
        patch.setenv("AURORA_TRUST", "1")
        for name in ("mem.index", "mem.backup", "mem.add"):
            call_tool(workspace, name, TOOLS[name].examples[0].arguments)
        step = call_tool(workspace, "workflow.step", {"phase": "assess", "query": "How does the kettle brew?"})
        yield workspace, step["run"]
    shutil.rmtree(root)


@pytest.mark.parametrize("name", sorted(TOOLS.keys() - SKIPPED.keys()))
def test_no_value_of_an_argument_is_a_bug(
    name: str, filled: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, run = filled
    if name in SLOW:  # without names of files, they run all shipped workflows
        monkeypatch.setenv("AURORA_TIMEOUT", "0.5")
    tool = TOOLS[name]
    bugs = []
    for arguments in build_calls(name, run):
        try:
            call_tool(workspace, name, arguments, params=tool.examples[0].params or None)
        except Fault as fault:
            if fault.code is Code.INTERNAL_ERROR:
                bugs.append((str(arguments)[:200], repr(fault.__cause__)))

    assert bugs == []


def build_calls(name: str, run: str) -> Iterator[Any]:
    """Yield arguments in which one value is extreme: each property, and each value inside an example."""
    yield from ([], "x", 5, [1], None)
    examples = [] if name in SLOW else [dict(example.arguments) for example in TOOLS[name].examples]
    further = [json.loads(json.dumps(base).replace('"RUN"', json.dumps(run))) for base in FURTHER.get(name, ())]
    properties = build_input_schema(TOOLS[name].input).get("properties", {})
    for base in (*examples, *further):
        for path in [(key,) for key in properties if key not in base] + list(list_paths(base)):
            for value in EXTREMES:
                if name in SLOW and path == ("files",) and value in (None, []):
                    continue  # the same as all shipped workflows
                yield replace_value(base, path, value)
                if len(path) == 1 and value in LISTED:
                    yield replace_value(base, path, [value])


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside a value; of a list, those of its first item."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list | tuple) else ()
    )
    for key, inner in entries:
        yield (*path, key)
        yield from list_paths(inner, (*path, key))


def replace_value(base: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed: Any = json.loads(json.dumps(base))
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = copy.copy(value)
    return changed  # type: ignore[no-any-return]


def test_each_skipped_tool_exists() -> None:
    assert SKIPPED.keys() <= TOOLS.keys()
