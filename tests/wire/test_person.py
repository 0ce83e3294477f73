"""A gate over the wire: the server's own process asks the person at the host, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest

pytestmark = pytest.mark.anyio

GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } }, on_decline: stop }
    next_action:
      - { when: answer.sure, then: act }
      - { then: stop }
  act: { prompt_template: Delete it., answer: { type: string }, next_action: end }
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""
CALL = {"phase": "ask", "workflow": "gate", "what": "all"}


async def test_the_person_answers_at_the_host(connect_in_era: Any, project: Any) -> None:
    project.write(".aurora/workflows/gate.yaml", GATE)
    asked: list[str] = []

    async def answer(_context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message.splitlines()[0])
        if len(asked) == 1:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content={"sure": True})

    async with connect_in_era(elicitation_callback=answer) as client:
        waiting = (await client.call_tool("aurora_query", CALL)).structured_content
        assert waiting["status"] == "waiting"
        arguments = waiting["next_call"]["arguments"]
        response = (await client.call_tool("aurora_query", arguments)).structured_content
        shown = (await client.read_resource(f"aurora://run/{response['run']}")).contents[0].text
    assert response["prompt_template"] == "Delete it."
    assert asked == ["Delete all?", "Delete all?"]
    assert json.loads(shown)["steps"][0]["by"]["how"] == "elicitation"


@pytest.mark.requirement("prd-76")
async def test_a_host_that_cannot_ask_gets_the_question_back(connect_in_era: Any, project: Any) -> None:
    project.write(".aurora/workflows/gate.yaml", GATE)
    async with connect_in_era() as client:
        waiting = (await client.call_tool("aurora_query", CALL)).structured_content
        again = {**waiting["next_call"]["arguments"], "answer": {"sure": True}}
        assert (await client.call_tool("aurora_query", again)).structured_content["status"] == "waiting"


async def test_a_cancelled_call_leaves_the_question_open(project: Any) -> None:
    """The host takes its call back while the form is shown; the reply that comes after it changes nothing."""
    project.write(".aurora/workflows/gate.yaml", GATE)
    server = project.serve()
    client = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
    hello = {**client, "clientInfo": {"name": "hand", "version": "1"}}
    server.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello})
    server.answer("hello")
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.call("ask", "aurora_query", CALL)
    while (request := server.receive()).get("method") != "elicitation/create":
        pass
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "ask"}})
    server.call("list", "aurora_search", {"query": "CliRunner"})
    assert "result" in server.answer("list")
    reply = {"action": "accept", "content": {"sure": True}}
    server.send({"jsonrpc": "2.0", "id": request["id"], "result": reply})
    run = request["params"]["message"].rpartition("run ")[2].rstrip(")")
    server.call("again", "aurora_query", {"phase": "continue", "run": run})
    while (second := server.receive()).get("method") != "elicitation/create":
        pass
    assert second["params"]["message"] == request["params"]["message"]
    server.send({"jsonrpc": "2.0", "id": second["id"], "result": {"action": "decline"}})
    assert server.answer("again")["result"]["structuredContent"]["prompt_template"] == "Stop."
