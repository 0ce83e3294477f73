"""A running server notices that a workflow was edited."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

pytestmark = pytest.mark.anyio

PATIENCE = 60.0

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


async def list_prompts(client: Any) -> list[str]:
    return [prompt.name for prompt in (await client.list_prompts(cache_mode="refresh")).prompts]


async def test_a_host_that_shook_hands_is_notified_and_finds_the_new_workflow(project: Any) -> None:
    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/prompts/list_changed":
            changed.set()

    async with project.client("legacy", message_handler=hear) as client:
        tools = (await client.list_tools()).tools
        assert "tea" not in await list_prompts(client)
        project.write(".aurora/workflows/tea.yaml", TEA.format(name="tea"))
        with anyio.fail_after(PATIENCE):
            await changed.wait()
        assert "tea" in await list_prompts(client)
        assert (await client.list_tools()).tools == tools, "the tools are the same in every project"
        called = await client.call_tool("aurora_query", {"workflow": "tea", "phase": "choose", "guests": 3})
    assert not called.is_error


async def test_a_host_of_the_new_era_is_told_through_its_subscription(project: Any) -> None:
    async with project.client("auto") as client:
        assert "tea" not in await list_prompts(client)
        async with client.listen(prompts_list_changed=True) as events:
            project.write(".aurora/workflows/tea.yaml", TEA.format(name="tea"))
            with anyio.fail_after(PATIENCE):
                async for event in events:
                    assert type(event).__name__ == "PromptsListChanged"
                    break
        assert "tea" in await list_prompts(client)


async def test_editing_the_projects_own_soar_changes_its_phases_without_any_code(project: Any) -> None:
    async with project.client("legacy") as client:
        assert not (await client.call_tool("aurora_query", {"phase": "assess", "query": "x"})).is_error
        project.write(".aurora/workflows/soar.yaml", TEA.format(name="soar"))
        assert (await client.call_tool("aurora_query", {"phase": "assess", "query": "x"})).is_error
        called = await client.call_tool("aurora_query", {"guests": 3})
    assert called.structured_content["prompt_template"] == "Which tea suits 3 guests?"


async def test_a_workflow_that_was_broken_by_an_edit_leaves_the_tools_listed(project: Any) -> None:
    project.write(".aurora/workflows/soar.yaml", "aurora: 1\nname: soar\nphases: [\n")
    async with project.client("auto") as client:
        assert len((await client.list_tools()).tools) == 3
        called = await client.call_tool("aurora_query", {"phase": "assess", "query": "x"})
    assert called.is_error
    assert called.structured_content["error"]["code"] == "INVALID_INPUT"
    assert "soar.yaml" in called.structured_content["error"]["message"]
