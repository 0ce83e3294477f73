"""List of the tools: the three default tools show their aliases only next to other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.core import DEFAULT_TOOLS
from aurora.tools.mcp.listing import list_mcp_tools
from aurora.tools.runtime import get_registry

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

SEARCH = ["ag_query", "aura_search_code", "query_knowledge_graph", "search_knowledge"]


def list_search(workspace: Workspace, *more: str) -> dict[str, Any]:
    tools = [get_registry().find(name) for name in (*DEFAULT_TOOLS, *more)]
    return next(tool for tool in list_mcp_tools(workspace, tools) if tool["name"] == "aurora_search")


@pytest.mark.requirement("contextgraph-6")
def test_the_search_names_its_aliases_with_their_arguments_next_to_other_tools(workspace: Workspace) -> None:
    listed = list_search(workspace, "mem.stats")
    assert listed["_meta"] == {"anthropic/alwaysLoad": True, "aurora/aliases": SEARCH}
    assert listed["description"].endswith(
        "Also called ag_query, aura_search_code, query_knowledge_graph(triad), search_knowledge(keywords, triad)."
    )


def test_the_three_default_tools_by_themselves_name_none(workspace: Workspace) -> None:
    listed = list_search(workspace)
    assert listed["_meta"] == {"anthropic/alwaysLoad": True}
    assert "Also called" not in listed["description"]
