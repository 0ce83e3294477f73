"""An alias names exactly one tool, and resolving it imports none."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.core.alias_table import ALIASES
from aurora.tools.core.declaration import Alias
from aurora.tools.core.registry import OWN_PREFIX, TOOL_MODULES, ToolRegistry, index_tools, resolve_alias


@pytest.mark.requirement("contextgraph-15")
def test_the_generated_table_is_what_the_tools_declare() -> None:
    declared = {alias: tool.name for tool in ToolRegistry().load_all() for alias in tool.alias_names}
    assert dict(ALIASES) == declared
    assert set(index_tools(ToolRegistry().load_all())) == {*TOOL_MODULES, *ALIASES}


@pytest.mark.requirement("contextgraph-3")
@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_an_alias_is_resolved_exactly_and_by_case(alias: str) -> None:
    assert ToolRegistry().find(alias).name == resolve_alias(alias) == ALIASES[alias]
    assert resolve_alias(alias.title()) == alias.title()
    assert resolve_alias(f"{alias} ") == f"{alias} "


@pytest.mark.requirement("contextgraph-3")
def test_a_name_that_is_no_alias_is_returned_unchanged() -> None:
    assert resolve_alias("mem.search") == "mem.search"
    assert resolve_alias("no_such_tool") == "no_such_tool"
    assert not resolve_alias("")


@pytest.mark.requirement("contextgraph-12")
@pytest.mark.parametrize("alias", ["mem.stats", "mem_stats", "aurora_mem_stats", "aurora_query", "aurora_anything"])
def test_an_alias_that_is_a_tool_s_name_on_a_surface_is_refused_when_the_registry_is_built(alias: str) -> None:
    said = f'"{re.escape(alias)}" is an alias of mem\\.search and the name of a tool'
    with pytest.raises(ValueError, match=said):
        ToolRegistry(TOOL_MODULES, {alias: "mem.search"})
    search = ToolRegistry().find("mem.search")
    renamed = dataclasses.replace(search, aliases=(Alias(alias),))
    with pytest.raises(ValueError, match=f"{said}|names both"):
        index_tools([renamed, ToolRegistry().find("mem.stats")])


def test_an_alias_without_a_tool_is_refused_when_the_registry_is_built() -> None:
    with pytest.raises(ValueError, match=r'the alias "gone" belongs to "mem\.gone", and there is no such tool'):
        ToolRegistry(TOOL_MODULES, {"gone": "mem.gone"})


@pytest.mark.requirement("contextgraph-12")
def test_every_name_over_mcp_and_in_the_manifest_is_one_that_no_alias_may_have() -> None:
    for tool in ToolRegistry().load_all():
        assert tool.stable_name == tool.name.replace(".", "_")
        assert tool.mcp is None or tool.mcp.startswith(OWN_PREFIX)


@pytest.mark.parametrize("name", sorted(set(ALIASES.values())))
def test_the_arguments_of_an_alias_are_those_of_its_tool(name: str) -> None:
    tool = ToolRegistry().find(name)
    for alias in tool.aliases:
        assert set(alias.arguments.values()) | set(alias.values) <= set(tool.input.model_fields), alias.name
        assert not (set(alias.arguments) | set(alias.unused)) & set(tool.input.model_fields), alias.name
        assert all(alias.unused.values()), "an argument without effect has its reason"


CALLS = [
    ("graph.callers", "find_callers", {"methodName": "run"}, {"name": "run"}),
    ("graph.callers", "aura_find_callers", {"name": "run", "depth": 2}, {"name": "run", "depth": 2}),
    ("graph.implementations", "aura_find_implementations", {"typeName": "Host"}, {"name": "Host"}),
    ("graph.members", "aura_get_type_members", {"typeName": "Host"}, {"name": "Host"}),
    ("graph.node", "get_node_details", {"node_id": "a.py::f"}, {"name": "a.py::f"}),
    ("runs.show", "aura_get_story_context", {"storyId": "k3f9wq2m"}, {"run": "k3f9wq2m"}),
    ("runs.show", "get_story_context", {}, {}),
    ("workflow.suggest", "suggest_workflow", {"task_description": "fix it"}, {"task": "fix it"}),
    ("mem.search", "aura_search_code", {"query": "retry"}, {"query": "retry"}),
    (
        "mem.search",
        "query_knowledge_graph",
        {"triad": "design", "query": "a"},
        {"workflow": "design", "query": "a"},
    ),
    ("mem.search", "search_knowledge", {"keywords": ["version", "bump"]}, {"query": "version bump"}),
    ("mem.check", "check_graph_integrity", {"triad": "design"}, {}),
    ("mem.backups", "list_backups", {"triad": "design"}, {}),
    ("mem.repair", "repair_graph", {"triad": "deployment", "backup": "one.db"}, {"backup": "one.db"}),
    ("mem.consolidate", "trigger_consolidation", {"strategy": "semantic"}, {"by": "meaning"}),
    ("mem.consolidate", "consolidate_memories", {"strategy": "similarity"}, {"by": "similarity"}),
]


@pytest.mark.requirement("aura-1", "aura-2", "aura-4", "aura-6", "triads-1", "triads-2", "triads-3", "triads-6")
@pytest.mark.parametrize(("name", "alias", "given", "expected"), CALLS, ids=[call[1] for call in CALLS])
def test_an_alias_takes_the_arguments_of_its_own_document(
    name: str, alias: str, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    tool = ToolRegistry().find(alias)
    found = tool.find_alias(alias)
    assert tool.name == name
    assert found is not None
    assert found.translate_arguments(given) == expected
    tool.input.model_validate_json(json.dumps(expected))


def test_an_argument_under_both_names_is_refused() -> None:
    alias = Alias("find_callers", {"methodName": "name"})
    for given in ({"methodName": "a", "name": "b"}, {"name": "b", "methodName": "a"}):
        with pytest.raises(Fault, match='"methodName", "name" are the same argument') as caught:
            alias.translate_arguments(given)
        assert caught.value.code is Code.INVALID_INPUT


def test_an_alias_is_described_with_its_arguments() -> None:
    assert Alias("find_callers", {"methodName": "name"}).describe() == "find_callers(methodName)"
    assert Alias("why_connected").describe() == "why_connected"
