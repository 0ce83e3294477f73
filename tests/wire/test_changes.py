"""A running server notices that a workflow was edited."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

pytestmark = pytest.mark.anyio

PATIENCE = 15.0

TEA = """
aurora: 1
name: {name}
version: 1.0.0
title: Make tea
start: choose
phases:
  choose:
    inputs:
      guests: {{ type: integer }}
    prompt_template: Which tea suits {{{{ guests }}}} guests?
    answer: {{ type: object }}
    next_action: {{ then: end }}
"""


def phases(tools: Any) -> list[str]:
    query = next(tool for tool in tools if tool.name == "aurora_query")
    return list(query.input_schema["properties"]["phase"]["enum"])


async def test_a_host_that_shook_hands_is_notified_and_finds_the_new_phase(project: Any) -> None:
    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            changed.set()

    async with project.client("legacy", message_handler=hear) as client:
        assert "choose" not in phases((await client.list_tools()).tools)
        project.write(".aurora/workflows/tea.yaml", TEA.format(name="tea"))
        with anyio.fail_after(PATIENCE):
            await changed.wait()
        assert "choose" in phases((await client.list_tools()).tools)
        called = await client.call_tool("aurora_query", {"workflow": "tea", "phase": "choose", "guests": 3})
    assert not called.is_error


async def test_a_host_of_the_new_era_is_told_through_its_subscription(project: Any) -> None:
    async with project.client("auto") as client:
        assert "choose" not in phases((await client.list_tools()).tools)
        async with client.listen(tools_list_changed=True) as events:
            project.write(".aurora/workflows/tea.yaml", TEA.format(name="tea"))
            with anyio.fail_after(PATIENCE):
                async for event in events:
                    assert type(event).__name__ == "ToolsListChanged"
                    break
        assert "choose" in phases((await client.list_tools(cache_mode="refresh")).tools)


async def test_editing_the_projects_own_soar_changes_the_schema_without_any_code(project: Any) -> None:
    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            changed.set()

    async with project.client("legacy", message_handler=hear) as client:
        assert "assess" in phases((await client.list_tools()).tools)
        project.write(".aurora/workflows/soar.yaml", TEA.format(name="soar"))
        with anyio.fail_after(PATIENCE):
            await changed.wait()
        after = phases((await client.list_tools()).tools)
    assert after[0] == "choose"
    assert "assess" not in after


async def test_a_workflow_that_was_broken_by_an_edit_leaves_the_tools_listed(project: Any) -> None:
    project.write(".aurora/workflows/soar.yaml", "aurora: 1\nname: soar\nphases: [\n")
    async with project.client("auto") as client:
        assert len((await client.list_tools()).tools) == 3
        called = await client.call_tool("aurora_query", {"phase": "assess", "query": "x"})
    assert called.is_error
    assert called.structured_content["error"]["code"] == "INVALID_INPUT"
    assert "soar.yaml" in called.structured_content["error"]["message"]
