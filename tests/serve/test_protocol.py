"""Requests over HTTP: a question to a person, those of other documents, and such that make no sense."""

from __future__ import annotations

import json
import random
import string
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import MODERN, SECRETS, bearer

if TYPE_CHECKING:
    from .conftest import Tenants


GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } }, on_decline: stop }
    next_action: act
  act: { prompt_template: Delete it., answer: { type: string }, next_action: end }
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""


def ask(tenants: Tenants, arguments: Any, capabilities: Any, **more: Any) -> Any:
    """Call `aurora_query` in the stateless era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    params = {"name": "aurora_query", "arguments": arguments, "_meta": meta, **more}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "aurora_query"}
    return tenants.server.post("/mcp", message, tenants.alpha, **headers).body["result"]


def test_a_person_answers_over_http_and_no_host_passes_the_gate(tenants: Tenants) -> None:
    folder = tenants.home.path / "alpha" / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gate.yaml").write_text(GATE, "utf-8")
    begin = {"workflow": "gate", "phase": "ask", "what": "all"}
    waiting = ask(tenants, begin, {})["structuredContent"]
    assert waiting["status"] == "waiting"
    handshake = tenants.server.call("/mcp", "aurora_query", begin, tenants.alpha)
    assert handshake["status"] == "waiting"  # without a session, nothing can be asked before the stateless era
    again = {"phase": "continue", "run": waiting["run"], "answer": {"sure": True}}
    assert ask(tenants, again, {})["structuredContent"]["status"] in {"waiting", "error"}
    asked = ask(tenants, begin, {"elicitation": {"form": {}}})
    assert asked["resultType"] == "input_required"
    reply = {"person": {"action": "accept", "content": {"sure": True}}}
    forged = asked["requestState"][:-2] + ("AA" if asked["requestState"][-2:] != "AA" else "BB")
    refused = ask(tenants, begin, {"elicitation": {"form": {}}}, requestState=forged, inputResponses=reply)
    assert refused["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    state = asked["requestState"]
    done = ask(tenants, begin, {"elicitation": {"form": {}}}, requestState=state, inputResponses=reply)
    assert done["structuredContent"]["phase"] == "act"
    shown = json.dumps(
        tenants.server.call("/mcp", "aurora_query", {"phase": "continue", "run": waiting["run"]}, tenants.alpha)
    )
    assert '"waiting"' in shown


@pytest.mark.requirement("aura-16", "aura-35")
def test_the_requests_of_aura_are_answered_as_json_without_a_session(tenants: Tenants) -> None:
    def request(method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        found = tenants.server.post("/mcp", message, tenants.alpha)
        assert (found.status, found.headers["content-type"]) == (200, "application/json")
        assert found.body["id"] == method
        return found.body

    client = {"name": "copilot", "version": "1"}
    welcome = request("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=client)["result"]
    assert welcome["protocolVersion"] == "2024-11-05"
    assert "tools" in welcome["capabilities"]
    assert all("inputSchema" in tool for tool in request("tools/list")["result"]["tools"])
    call = {"name": "aura_search_code", "arguments": {"query": SECRETS["alpha"]}}
    (content,) = request("tools/call", **call)["result"]["content"]
    assert (content["type"], "module.py" in content["text"]) == ("text", True)
    assert request("context/inject")["error"]["code"] == -32601


@pytest.mark.requirement("aura-41")
def test_a_form_as_curl_sends_it_is_refused(tenants: Tenants) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    form = {"accept": "*/*", "content-type": "application/x-www-form-urlencoded", **bearer(tenants.alpha)}
    assert tenants.server.send("POST", "/mcp", body, form).status == 415


@pytest.mark.requirement("aura-42")
def test_the_address_of_the_protocol_is_mcp_and_not_mcp_rpc(tenants: Tenants) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert tenants.server.post("/mcp", message, tenants.alpha).status == 200
    assert tenants.server.post("/mcp/rpc", message, tenants.alpha).status == 404


@pytest.mark.requirement("contextgraph-27")
def test_a_call_without_a_handshake_is_answered_under_both_names(tenants: Tenants) -> None:
    told = []
    for name in ("search_knowledge", "aurora_search"):
        arguments = {"query": SECRETS["alpha"]}
        message = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": name, "arguments": arguments}, "id": 1}
        told.append(tenants.server.post("/mcp", message, tenants.alpha).body["result"]["structuredContent"])
    assert told[0] == told[1]
    assert told[0]["hits"]


@pytest.mark.requirement("aura-17")
def test_many_requests_without_sense_never_break_the_server(tenants: Tenants) -> None:
    chance = random.Random(20261125)  # noqa: S311 - repeatable, not secret
    methods = (
        "tools/call",
        "tools/list",
        "initialize",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "x",
        "",
    )
    statuses = set()
    for number in range(300):
        message = make_message(chance, chance.choice(methods))
        body = json.dumps(message).encode() if chance.random() < 0.8 else damage(json.dumps(message).encode(), chance)
        headers = {"mcp-protocol-version": chance.choice((MODERN, "2025-11-25", "2024-11-05", "x", "2026-07-28x"))}
        token = chance.choice((tenants.beta, tenants.beta, tenants.beta, ""))
        found = tenants.server.post(chance.choice(("/mcp", "/p/beta/mcp", "/p/x/mcp")), body, token, **headers)
        statuses.add(found.status)
        assert found.status < 500, (number, body, found)
        assert SECRETS["alpha"] not in found.text
        assert "Traceback" not in found.text
    assert {200, 400, 401, 404} <= statuses
    assert "Traceback" not in tenants.server.log.read_text()
    assert tenants.server.get("/readyz").status == 200


def make_message(chance: random.Random, method: str) -> Any:
    names = ("aurora_query", "aurora_search", "aurora_get", "x", "", None, 1, {"a": 1})
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {
        "name": chance.choice(names),
        "uri": chance.choice(("aurora://run/x", "aurora://chunk/../x", "file:///etc/passwd", 7)),
        "arguments": chance.choice(
            ({"query": make_text(chance)}, {"phase": "continue", "run": make_text(chance)}, [], 3, None)
        ),
        "_meta": chance.choice((meta, {}, None, 5)),
        "protocolVersion": chance.choice(("2025-11-25", 1, None)),
    }
    fields = {
        "jsonrpc": chance.choice(("2.0", "1.0", 2)),
        "id": chance.choice((1, "a", None, [], 1.5, -1)),
        "method": method,
    }
    return chance.choice(
        ({**fields, "params": params}, {**fields, "params": params}, fields, [fields], make_text(chance))
    )


def make_text(chance: random.Random) -> str:
    letters = string.printable + "\u202e\ud7ff\U0001f600\x00\x1b"
    return "".join(chance.choice(letters) for _ in range(chance.randrange(60)))


def damage(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + bytes(chance.randrange(256) for _ in range(3)) + data[place + chance.randrange(5) :]
