"""What a host sees of Aurora before it calls anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

REMOVED = {
    "aurora_index",
    "aurora_context",
    "aurora_related",
    "aurora_list_agents",
    "aurora_search_agents",
    "aurora_show_agent",
}

RECORDED = {
    "aurora_query",
    "aurora_search",
    "aurora_get",
    "aurora_mem_index",
    "aurora_mem_related",
    "aurora_mem_stats",
    "aurora_graph_callers",
}


def shown(tool: Any) -> dict[str, Any]:
    return tool.model_dump(by_alias=True, mode="json", exclude_none=True)  # type: ignore[no-any-return]


@pytest.mark.requirement("prd-2", "prd-31", "triads-12", "triads-26")
async def test_exactly_three_tools_are_shown_the_same_in_both_eras(project: Any) -> None:
    listed = []
    for mode in ("legacy", "auto"):
        async with project.client(mode) as client:
            listed.append([shown(tool) for tool in (await client.list_tools()).tools])
    assert [tool["name"] for tool in listed[0]] == ["aurora_query", "aurora_search", "aurora_get"]
    assert listed[0] == listed[1]


async def test_what_hosts_see_of_the_tools_is_as_recorded(project: Any, snapshot: Any) -> None:
    async with project.client("auto", "--toolsets", "graph,admin") as client:
        for tool in (await client.list_tools()).tools:
            if tool.name in RECORDED:
                assert shown(tool) == snapshot(name=tool.name)


async def test_the_three_tools_cost_at_most_1500_tokens(connect: Any, tokens: Any) -> None:
    async with connect() as client:
        listed = [shown(tool) for tool in (await client.list_tools()).tools]
    assert tokens({"tools": listed}) <= 1500
    assert tokens(json.dumps({"tools": listed})) <= 1800  # as a host with spaces in its JSON would count


async def test_every_tool_says_what_it_does_to_the_world_and_is_loaded_first(connect: Any) -> None:
    async with connect() as client:
        tools = [shown(tool) for tool in (await client.list_tools()).tools]
    for tool in tools:
        assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["_meta"]["anthropic/alwaysLoad"] is True
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "$ref", "$defs"} & (set(tool["inputSchema"]) | set(tool["outputSchema"]))
        assert len(tool["description"]) < 4096
        assert '"title"' not in json.dumps([tool["inputSchema"], tool["outputSchema"]])


async def test_the_server_tells_its_name_and_how_to_use_it(connect: Any) -> None:
    async with connect() as client:
        assert client.server_info.name == "aurora"
        assert 0 < len(client.instructions) < 4096


@pytest.mark.requirement("prd-30")
async def test_the_removed_names_never_appear_and_no_name_is_too_long(connect: Any) -> None:
    async with connect("--toolsets", "all") as client:
        tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    assert len(names) == len(set(names)) > 3
    assert not REMOVED & set(names)
    assert max(map(len, names)) <= 60


@pytest.mark.requirement("prd-3")
async def test_a_removed_name_is_unknown_to_the_server(connect: Any) -> None:
    async with connect() as client:
        for name in sorted(REMOVED):
            refused = await client.call_tool(name, {})
            assert refused.is_error
            assert refused.structured_content["error"]["code"] == "NOT_FOUND", name


async def test_a_toolset_that_does_not_exist_is_one_sentence_and_no_server(project: Any) -> None:
    server = project.serve("--toolsets", "admn")
    assert server.close() != 0
    said = server.log.read_text()
    assert 'there is no toolset "admn"; did you mean "admin"?' in said
    assert "Traceback" not in said
