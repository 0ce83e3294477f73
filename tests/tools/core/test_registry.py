"""The registry finds tools by name and alias, imports each on demand, and refuses two with one name."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.core.declaration import Alias
from aurora.tools.core.registry import DEFAULT_TOOLS, TOOL_MODULES, ToolRegistry, index_tools
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

STATS = ToolRegistry().find("mem.stats")

_PREPARED = ("mem.index", "mem.backup", "mem.add")
"""Tools that run before the examples: they index the project, make a backup and add a fact."""
_BEFORE = {"mem.undo": "mem.forget"}
"""Tool -> the tool that runs just before its examples, so that there is something to undo."""
TOOLS_PACKAGE = Path(__file__).resolve().parents[3] / "tools"


def test_every_registered_tool_is_declared_under_its_name_and_no_names_collide() -> None:
    box = ToolRegistry()
    assert tuple(tool.name for tool in box.load_all()) == box.names() == tuple(sorted(TOOL_MODULES))
    assert set(TOOL_MODULES) <= set(index_tools(box.load_all()))


def test_every_module_that_declares_a_tool_is_registered() -> None:
    declaring = {
        ".".join(path.relative_to(TOOLS_PACKAGE).with_suffix("").parts)
        for path in TOOLS_PACKAGE.rglob("*.py")
        if any(line.startswith(("TOOL =", "TOOL:", "TOOLS =", "TOOLS:")) for line in path.read_text().splitlines())
    }
    assert declaring == set(TOOL_MODULES.values())


def test_finding_one_tool_imports_no_other_tool() -> None:
    program = (
        "import sys, json; from aurora.tools.core.registry import ToolRegistry, TOOL_MODULES;"
        "ToolRegistry().find('mem.search');"
        "print(json.dumps([m for m in set(TOOL_MODULES.values()) if 'aurora.tools.' + m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["memory.search"]


def test_an_alias_finds_its_tool_exactly_and_by_case() -> None:
    box = ToolRegistry.from_tools([replace(STATS, aliases=(Alias("counts"),))])
    assert box.find("counts").name == "mem.stats"
    for wrong in ("Counts", "count", "counts "):
        with pytest.raises(Fault) as caught:
            box.find(wrong)
        assert caught.value.code is Code.NOT_FOUND
        assert caught.value.details["suggestion"] == "counts"


def test_an_unknown_name_gets_the_nearest_one_as_a_suggestion() -> None:
    with pytest.raises(Fault, match=r'there is no tool "mem\.serch"; did you mean "mem\.search"') as caught:
        ToolRegistry().find("mem.serch")
    assert caught.value.details["choices"] == sorted(TOOL_MODULES)


@pytest.mark.parametrize(
    "other",
    [
        replace(STATS, mcp=None, command=None),
        replace(STATS, name="other.one", mcp=None, command=None, aliases=(Alias("mem.stats"),)),
        replace(STATS, name="mem_stats", mcp=None, command=None),
        replace(STATS, name="other.one", mcp="aurora_other", command=STATS.command),
        replace(STATS, name="other.one", mcp=STATS.mcp, command=None),
    ],
    ids=["name", "alias", "manifest name", "command", "MCP name"],
)
def test_two_tools_with_one_name_are_an_error_when_the_registry_is_built(other: Any) -> None:
    with pytest.raises(ValueError, match="mem"):
        ToolRegistry.from_tools([STATS, other])


def test_two_equal_aliases_are_an_error() -> None:
    one = replace(STATS, aliases=(Alias("counts"),))
    other = replace(STATS, name="other.one", mcp=None, command=None, aliases=(Alias("counts"),))
    with pytest.raises(ValueError, match=r'"counts" names both mem\.stats and other\.one'):
        index_tools([one, other])


@pytest.mark.requirement("auditgraph-3")
def test_mcp_offers_the_default_tools_and_then_the_requested_toolsets() -> None:
    box = ToolRegistry()
    assert tuple(tool.name for tool in box.select_mcp()) == DEFAULT_TOOLS
    for family in ("graph", "knowledge", "workflow", "runs", "agents", "admin"):
        shown = box.select_mcp((family,))[3:]
        assert shown
        assert {tool.family for tool in shown} == {family}
    composed = box.select_mcp(("graph,workflow", "runs"))
    assert {tool.family for tool in composed} == {"core", "graph", "workflow", "runs"}
    assert {tool.name for tool in composed} < {tool.name for tool in box.select_mcp(("all",))}
    assert {tool.name for tool in box.select_mcp(("all",))} == {tool.name for tool in box.load_all() if tool.mcp}


def test_an_unknown_toolset_is_refused() -> None:
    with pytest.raises(Fault, match='there is no toolset "grap"') as caught:
        ToolRegistry().select_mcp(("grap",))
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.requirement("auditgraph-1", "auditgraph-26", "triads-32")
@pytest.mark.parametrize("name", sorted(TOOL_MODULES))
def test_every_declaration_is_complete(name: str) -> None:
    tool = ToolRegistry().find(name)
    assert tool.stable_name.replace("_", "").isalnum()
    assert tool.stable_name == tool.stable_name.lower()
    assert len(tool.mcp or "") <= 60
    assert 0 < len(tool.description) < 4096
    assert tool.examples, "a tool has at least one example"
    for example in tool.examples:
        json.dumps(example.arguments)
        tool.input.model_validate_json(json.dumps(dict(example.arguments)))


@pytest.mark.requirement("auditgraph-20")
@pytest.mark.parametrize("name", sorted(name for name in TOOL_MODULES if name.startswith("mem.")))
def test_the_examples_of_memory_tools_work_on_a_real_project(name: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Files\n\nHow files are skipped.\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        for prepared in (*_PREPARED, *filter(None, [_BEFORE.get(name)])):
            call_tool(workspace, prepared, ToolRegistry().find(prepared).examples[0].arguments)
        for example in ToolRegistry().find(name).examples:
            assert call_tool(workspace, name, example.arguments, params=example.params)
