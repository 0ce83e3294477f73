"""Prompts, resources and completions over the wire, in both eras."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.anyio


async def test_each_workflow_is_a_prompt_that_says_how_to_begin_it(connect_in_era: Callable[..., Any]) -> None:
    async with connect_in_era() as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert {"soar", "bug-fix", "design", "code-review"} <= set(listed)
        (query, *_) = listed["soar"].arguments
        assert (query.name, query.required) == ("query", True)

        got = await client.get_prompt("soar", {"query": "what is a parameter"})
        text = got.messages[0].content.text
        arguments = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
        assert arguments == {"workflow": "soar", "query": "what is a parameter"}

        response = await client.call_tool("aurora_query", arguments)
        assert response.structured_content["phase"] == "assess"
        assert response.structured_content["status"] == "complete"


async def test_a_prompt_has_one_argument_and_names_what_a_host_cut_off(connect: Callable[..., Any]) -> None:
    """Claude Code fills the arguments word by word, and shows the model the whole line in `<command-args>`."""
    async with connect() as client:
        for prompt in (await client.list_prompts()).prompts:
            assert [argument.name for argument in prompt.arguments] == ["query"], prompt.name
        cut = (await client.get_prompt("soar", {"query": "How"})).messages[0].content.text
        whole = (await client.get_prompt("soar", {"query": "How does it parse?"})).messages[0].content.text
    assert "If I wrote more after the command than this one word, as <command-args> shows, send all of it" in cut
    assert "command-args" not in whole


TWO_INPUTS = """
aurora: 2
name: tea
version: 1.0.0
start: brew
phases:
  brew:
    inputs:
      guests: { type: integer, description: How many. }
      leaf: { type: string, description: The kind of tea. }
    prompt_template: Brew {{ leaf }} for {{ guests }}.
    answer: { type: string }
    next_action: end
"""


async def test_a_prompt_takes_other_inputs_from_what_the_person_wrote(project: Any) -> None:
    project.write(".aurora/workflows/tea.yaml", TWO_INPUTS)
    async with project.client("auto") as client:
        (prompt,) = [one for one in (await client.list_prompts()).prompts if one.name == "tea"]
        assert [(one.name, one.required) for one in prompt.arguments] == [("leaf", True)]
        text = (await client.get_prompt("tea", {"leaf": "oolong for two"})).messages[0].content.text
        both = (await client.get_prompt("tea", {"leaf": "green oolong", "guests": "2"})).messages[0].content.text
    assert 'Add "guests" from what I wrote, or ask me.' in text
    assert json.loads(both.splitlines()[2]) == {"workflow": "tea", "leaf": "green oolong", "guests": 2}
    assert "or ask me" not in both


@pytest.mark.requirement("aura-13")
async def test_every_prompt_can_be_begun_as_it_says(connect: Callable[..., Any]) -> None:
    async with connect() as client:
        for prompt in (await client.list_prompts()).prompts:
            needed = {argument.name: "the parser of options" for argument in prompt.arguments if argument.required}
            text = (await client.get_prompt(prompt.name, needed)).messages[0].content.text
            arguments = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
            response = (await client.call_tool("aurora_query", arguments)).structured_content
            assert response["metadata"]["workflow"].startswith(f"{prompt.name}@")
            assert response["status"] == "complete", (prompt.name, response)


async def test_workflows_phases_runs_and_chunks_can_be_read_at_their_addresses(
    connect_in_era: Callable[..., Any],
) -> None:
    async with connect_in_era() as client:
        begun = await client.call_tool("aurora_query", {"phase": "assess", "query": "what is a parameter"})
        run = begun.structured_content["run"]
        hit = (await client.call_tool("aurora_search", {"query": "CliRunner"})).structured_content["hits"][0]
        listed = {str(one.uri): one for one in (await client.list_resources()).resources}
        assert {"aurora://workflow/soar", f"aurora://run/{run}"} <= set(listed)

        async def read(uri: str) -> tuple[str, str]:
            (content,) = (await client.read_resource(uri)).contents
            return content.mime_type, content.text

        for uri, one in listed.items():
            assert (await read(uri))[0] == one.mime_type
        mime, text = await read("aurora://workflow/soar")
        assert mime == "application/yaml"
        assert "start: assess" in text
        assert json.loads((await read("aurora://workflow/soar/assess"))[1])["uses"] == "complexity.assess"
        assert json.loads((await read(f"aurora://run/{run}"))[1])["steps"][0]["phase"] == "assess"
        assert "CliRunner" in (await read(f"aurora://chunk/{hit['id']}"))[1]


async def test_names_of_workflows_phases_and_runs_are_completed(connect: Callable[..., Any]) -> None:
    async with connect() as client:
        begun = await client.call_tool("aurora_query", {"phase": "assess", "query": "what is a parameter"})
        run = begun.structured_content["run"]

        async def completed(template: str, name: str, value: str, **known: str) -> list[str]:
            ref = ResourceTemplateReference(type="ref/resource", uri=template)
            found = await client.complete(ref, {"name": name, "value": value}, context_arguments=known)
            return list(found.completion.values)

        assert await completed("aurora://workflow/{workflow}", "workflow", "so") == ["soar", "soar-fast"]
        phases = await completed("aurora://workflow/{workflow}/{phase}", "phase", "re", workflow="soar")
        assert phases == ["retrieve", "record", "respond"]
        assert await completed("aurora://run/{run}", "run", run[:3]) == [run]
        assert await completed("aurora://chunk/{chunk}", "chunk", "code") == []
        nothing = await client.complete(
            PromptReference(type="ref/prompt", name="soar"), {"name": "query", "value": "a"}
        )
        assert nothing.completion.values == []


async def test_a_look_at_what_is_offered_makes_no_memory(project: Any, mode: str) -> None:
    for file in (project.root / ".aurora").glob("memory.db*"):
        file.unlink()
    async with project.client(mode) as client:
        assert all(str(one.uri).startswith("aurora://workflow/") for one in (await client.list_resources()).resources)
        await client.list_prompts()
    assert list((project.root / ".aurora").glob("memory.db*")) == []


@pytest.mark.requirement("aura-12")
async def test_a_file_of_the_project_can_be_read_within_bounds(project: Any) -> None:
    project.write("docs/a guide.md", "# Guide\n\nTea.\n")
    project.write("long.txt", "one line of text\n" * 20_000)
    async with project.client("legacy") as client:
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        assert "aurora://file/{+path}" in templates
        (short,) = (await client.read_resource("aurora://file/docs/a%20guide.md")).contents
        assert (short.text, short.mime_type) == ("# Guide\n\nTea.", "text/plain")
        (long,) = (await client.read_resource("aurora://file/long.txt")).contents
        assert 200_000 <= len(long.text) < 230_000
        assert "the file goes on" in long.text
        (masked,) = (await client.read_resource("aurora://file/settings.py")).contents
        assert "AKIA" not in masked.text


REFUSED_FILES = {
    "../client.log": "FORBIDDEN",
    "%2e%2e/client.log": "FORBIDDEN",
    "/etc/hostname": "FORBIDDEN",
    "out.txt": "FORBIDDEN",
    ".env": "FORBIDDEN",
    "logo.png": "FORBIDDEN",
    ".git/config": "FORBIDDEN",
    "missing.py": "NOT_FOUND",
    "": "INVALID_INPUT",
}


@pytest.mark.requirement("aura-12")
async def test_a_file_that_must_not_be_read_is_refused(project: Any) -> None:
    project.write(".env", "PASSWORD=hunter2hunter2\n")
    project.write(".git/config", "[core]\n")
    async with project.client("auto") as client:
        for path, code in REFUSED_FILES.items():
            with pytest.raises(MCPError) as raised:
                await client.read_resource(f"aurora://file/{path}")
            assert raised.value.data["code"] == code, path
