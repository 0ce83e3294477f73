"""Errors fit the `outputSchema` that the server lists, or hosts that validate it would hide the message."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import apsw
import jsonschema
import pytest

WRONG = ({"no_such_argument": 1}, {"phase": 7, "query": [], "id": {}, "path": "/etc/passwd"})
"""Arguments that no tool takes, and such of wrong types and outside of the project."""


@pytest.mark.requirement("auditgraph-14", "auditgraph-27")
def test_the_errors_of_every_tool_fit_the_schema_that_is_listed_for_it(project: Any) -> None:
    server = project.serve("--toolsets", "all").shake_hands()
    server.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    tools = server.answer("list")["result"]["tools"]
    assert len(tools) > 30
    for tool in tools:
        for number, arguments in enumerate(WRONG):
            name = f"{tool['name']} {number}"
            server.call(name, tool["name"], arguments)
            result = server.answer(name)["result"]
            assert result["isError"], name
            assert result["structuredContent"]["error"]["message"], name
            assert json.loads(result["content"][0]["text"]) == result["structuredContent"], name
            jsonschema.validate(result["structuredContent"], tool["outputSchema"])


@pytest.mark.requirement("prd-22", "prd-59")
def test_an_error_from_outside_the_engine_is_a_response_of_a_step(project: Any) -> None:
    server = project.serve(AURORA_CALLS_AT_ONCE="1", AURORA_TIMEOUT="1").shake_hands()
    server.call("begin", "aurora_query", {"query": "Where is the retry delay computed?"})
    following = server.answer("begin")["result"]["structuredContent"]["next_call"]["arguments"]
    with closing(apsw.Connection(str(project.root / ".aurora" / "memory.db"))) as other:
        other.execute("BEGIN IMMEDIATE")  # the step waits for it
        server.call("waits", "aurora_query", following)
        server.call("refused", "aurora_query", following)
        refused = server.answer("refused")["result"]["structuredContent"]
        waited = server.answer("waits")["result"]["structuredContent"]
    for response, code in ((refused, "RATE_LIMITED"), (waited, "TIMEOUT")):
        assert response["error"]["code"] == code
        assert {"phase", "progress", "status", "result", "next_action", "guidance", "next_call", "run"} <= set(response)
        assert response["run"] == following["run"]
    assert waited["progress"] == "1/9 assess"
    assert waited["next_call"]["arguments"] == following
    server.call("again", "aurora_query", waited["next_call"]["arguments"])
    assert server.answer("again")["result"]["structuredContent"]["status"] != "error"
