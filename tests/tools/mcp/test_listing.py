"""List of the tools: the three default tools show their aliases only next to other tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aurora.tools.core import DEFAULT_TOOLS, DEFAULT_WORKFLOW
from aurora.tools.mcp.protocol_server import list_mcp_tools
from aurora.tools.runtime import Workspace, get_registry
from aurora.tools.workflows.query import QUERY_SCHEMA, list_host_workflows

SEARCH = ["ag_query", "aura_search_code", "query_knowledge_graph", "search_knowledge"]


def list_search(*more: str) -> dict[str, Any]:
    tools = [get_registry().find(name) for name in (*DEFAULT_TOOLS, *more)]
    return next(tool for tool in list_mcp_tools(tools) if tool["name"] == "aurora_search")


@pytest.mark.requirement("contextgraph-6")
def test_the_search_names_its_aliases_with_their_arguments_next_to_other_tools() -> None:
    listed = list_search("mem.stats")
    assert listed["_meta"] == {"anthropic/alwaysLoad": True, "aurora/aliases": SEARCH}
    assert listed["description"].endswith(
        "Also called ag_query, aura_search_code, query_knowledge_graph(triad), search_knowledge(keywords, triad)."
    )


def test_the_three_default_tools_by_themselves_name_none() -> None:
    listed = list_search()
    assert listed["_meta"] == {"anthropic/alwaysLoad": True}
    assert "Also called" not in listed["description"]


def test_the_schema_of_a_step_names_the_shipped_workflows_and_fits_the_inputs_of_the_default_one(
    workspace: Workspace,
) -> None:
    definitions = {one.workflow.name: one.workflow for one in list_host_workflows(workspace)}
    properties = QUERY_SCHEMA["properties"]
    assert [name for name in definitions if name not in json.dumps(properties["workflow"])] == []
    for phase in definitions[DEFAULT_WORKFLOW].phases.values():
        for name in {"query", "verbosity"} & set(phase.inputs):
            expected = phase.inputs[name].json_schema
            assert all(expected[key] == value for key, value in properties[name].items() if key != "description")
