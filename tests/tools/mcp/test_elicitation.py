"""A question to the person over MCP: a host that shows forms, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.server.lowlevel import Server

from aurora.interpreter.run.call import PersonReply
from aurora.tools.mcp.calls import ToolCallHandler
from aurora.tools.mcp.elicitation import MAX_ATTEMPTS, AskedQuestion, PersonAsker, StateSigner
from aurora.tools.mcp.protocol_server import list_mcp_tools
from aurora.tools.runs import find_question, reply_to_question
from aurora.tools.runtime import Workspace, get_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio

GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person:
      message: "Delete {{ what }}?"
      form:
        sure: { type: boolean, title: Really, x-note: hers }
        copies: { type: integer, minimum: 1, maximum: 3, default: 2 }
        why: { type: string, pattern: "^[a-z ]+$", default: old }
      on_decline: stop
    next_action:
      - { when: answer.sure, then: act }
      - { then: stop }
  act:
    inputs:
      copies: { from: phases.ask.answer.copies, type: integer }
    prompt_template: Delete it, keep {{ copies }}.
    answer: { type: string }
    next_action: end
  stop:
    prompt_template: Stop.
    answer: { type: string }
    next_action: end
"""
CALL = {"phase": "ask", "workflow": "gate", "what": "all\u200b"}


class Person:
    """A person at a host, with a reply to each question in turn."""

    def __init__(self, *replies: types.ElicitResult) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []
        self.is_asked = anyio.Event()

    async def __call__(self, _context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        self.is_asked.set()
        if not self.replies:
            await anyio.sleep_forever()
        return self.replies.pop(0)


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "gate.yaml").write_text(GATE, encoding="utf-8")
    with Workspace(tmp_path) as opened:
        yield opened


def serve(project: Workspace, wait_seconds: float = 30.0) -> Server[Any]:
    tools = [get_registry().find(name) for name in ("workflow.step", "runs.list")]
    server: Server[Any] = Server("aurora")
    handler = ToolCallHandler(project, tools, PersonAsker(project, wait_seconds))
    fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    listed = {"tools": list_mcp_tools(tools), **fresh}

    async def list_tools(_context: Any, _params: Any) -> dict[str, Any]:
        return listed

    server.add_request_handler("tools/call", types.CallToolRequestParams, handler)
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    return server


def connect(project: Workspace, mode: str, person: Any = None, wait_seconds: float = 30.0) -> Client:
    return Client(serve(project, wait_seconds), mode=mode, elicitation_callback=person, read_timeout_seconds=30)


async def query(client: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool("aurora_query", arguments)
    content: dict[str, Any] = result.structured_content or {}
    assert result.content[0].text == json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return content


def read_reply(project: Workspace, run: str) -> dict[str, Any]:
    """Return what the journal keeps of the reply."""
    document: dict[str, Any] = project.memory.journal.steps(run)[1].document
    return document


async def test_the_person_accepts_and_the_run_goes_on_in_the_same_call(project: Workspace, mode: str) -> None:
    person = Person(accept(sure=True, copies=3))
    async with connect(project, mode, person) as client:
        response = await query(client, CALL)
    assert response["prompt_template"] == "Delete it, keep 3."
    kept = read_reply(project, response["run"])
    assert kept["by"]["how"] == "elicitation"
    assert kept["by"]["who"]
    assert kept["brought"] == [{"sure": True, "copies": 3, "why": "old"}]


async def test_the_person_sees_the_message_with_hidden_characters_and_a_plain_form(
    project: Workspace, mode: str
) -> None:
    person = Person(accept(sure=True))
    async with connect(project, mode, person) as client:
        response = await query(client, CALL)
    (asked,) = person.asked
    assert asked.message == f"Delete all\\u200b?\n\n(workflow gate@1.0.0, run {response['run']})"
    assert asked.requested_schema["required"] == ["sure"]
    assert asked.requested_schema["properties"]["sure"] == {"type": "boolean", "title": "Really"}
    assert asked.requested_schema["properties"]["copies"]["maximum"] == 3


async def test_a_person_who_declines_takes_the_route_of_the_phase(project: Workspace, mode: str) -> None:
    async with connect(project, mode, Person(types.ElicitResult(action="decline"))) as client:
        response = await query(client, CALL)
    assert response["prompt_template"] == "Stop."
    kept = read_reply(project, response["run"])
    assert (kept["status"], kept["by"]["how"]) == ("declined", "elicitation")


async def test_a_question_that_is_dismissed_stays_and_is_asked_again(project: Workspace, mode: str) -> None:
    person = Person(types.ElicitResult(action="cancel"), accept(sure=False))
    async with connect(project, mode, person) as client:
        waiting = await query(client, CALL)
        assert (waiting["status"], waiting["person"]["message"]) == ("waiting", "Delete all\\u200b?")
        assert "aur runs approve" in waiting["guidance"]
        response = await query(client, waiting["next_call"]["arguments"])
    assert response["prompt_template"] == "Stop."


async def test_a_wrong_form_is_asked_again_and_after_three_the_run_waits(project: Workspace, mode: str) -> None:
    person = Person(*[accept(sure=True, copies=9)] * MAX_ATTEMPTS, accept(sure=True, copies=1))
    async with connect(project, mode, person) as client:
        waiting = await query(client, CALL)
        assert waiting["status"] == "waiting"
        assert len(person.asked) == MAX_ATTEMPTS
        assert person.asked[1].message.startswith("The last reply did not fit: ")
        response = await query(client, waiting["next_call"]["arguments"])
    assert response["prompt_template"] == "Delete it, keep 1."


async def test_a_host_without_forms_gets_the_waiting_response(project: Workspace, mode: str) -> None:
    async with connect(project, mode) as client:
        waiting = await query(client, {**CALL, "elicitation": True, "capabilities": {"elicitation": {}}})
        assert waiting["status"] == "error"
        waiting = await query(client, CALL)
        again = await query(client, {**waiting["next_call"]["arguments"], "answer": {"sure": True}})
    assert waiting["status"] == again["status"] == "waiting"
    assert len(project.memory.journal.steps(waiting["run"])) == 1


async def test_a_person_who_never_replies_blocks_no_other_call_and_the_run_waits(project: Workspace) -> None:
    person = Person()
    async with connect(project, "legacy", person, wait_seconds=1.0) as client:
        found: list[dict[str, Any]] = []

        async def ask() -> None:
            found.append(await query(client, CALL))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await person.is_asked.wait()
            listed = (await client.call_tool("aurora_runs_list", {})).structured_content
            assert listed["runs"][0]["status"] == "waiting"
            assert not found
    assert found[0]["status"] == "waiting"


async def test_the_reply_in_a_terminal_ends_a_question_that_is_still_shown(project: Workspace, mode: str) -> None:
    """The host's reply comes too late: it neither changes the run nor forks it."""

    async def reply_late(_context: Any, _params: Any) -> types.ElicitResult:
        (row,) = project.memory.journal.runs(5)
        question = find_question(project, row.run)
        reply_to_question(project, question, PersonReply(accepts=False, how="terminal", who="ada"), surface="cli")
        return accept(sure=True)

    async with connect(project, mode, reply_late) as client:
        response = await query(client, CALL)
    assert response.get("prompt_template") != "Delete it, keep 2."
    (row,) = project.memory.journal.runs(5)
    assert read_reply(project, row.run)["by"] == {"who": "ada", "how": "terminal"}


async def ask_for_input(client: Client) -> tuple[Any, Any]:
    """Make the first call as a host that handles the requested input itself."""
    asked = await client.session.call_tool("aurora_query", CALL, allow_input_required=True)
    return asked, {"person": accept(sure=True)}


async def test_only_a_state_of_this_server_passes_the_gate(project: Workspace) -> None:
    async with connect(project, "2026-07-28", Person()) as client:
        asked, replies = await ask_for_input(client)
        (row,) = project.memory.journal.runs(5)
        question = find_question(project, row.run)
        forged = StateSigner().sign(AskedQuestion.from_question(question, 1))
        body, _, mac = asked.request_state.partition(".")
        for state in (forged, "", ".", "a.b", body, f"{body}.{mac[:-2]}", f"{body[:-2]}.{mac}", "ä.ö", "x" * 9000):
            result = await client.session.call_tool(
                "aurora_query", CALL, input_responses=replies, request_state=state, allow_input_required=True
            )
            assert result.structured_content["error"]["code"] == "INVALID_INPUT", state
        assert len(project.memory.journal.steps(row.run)) == 1
        unasked = await client.session.call_tool(
            "aurora_query", {"phase": "continue", "run": row.run}, input_responses=replies, allow_input_required=True
        )
        assert unasked.result_type == "input_required"
        result = await client.session.call_tool(
            "aurora_query",
            CALL,
            input_responses=replies,
            request_state=asked.request_state,
            allow_input_required=True,
        )
    assert result.structured_content["prompt_template"] == "Delete it, keep 2."


async def test_a_used_state_changes_nothing_more(project: Workspace) -> None:
    async with connect(project, "2026-07-28", Person()) as client:
        asked, replies = await ask_for_input(client)
        for action in ("accept", "decline", "accept"):
            again = {"person": types.ElicitResult(action=action, content={"sure": True})}
            await client.session.call_tool(
                "aurora_query",
                CALL,
                input_responses=again,
                request_state=asked.request_state,
                allow_input_required=True,
            )
    (row,) = project.memory.journal.runs(5)
    assert read_reply(project, row.run)["status"] == "complete"
    assert row.steps == 3
    assert replies
