"""Errors fit the `outputSchema` that the server lists, or hosts that validate it would hide the message."""

from __future__ import annotations

import json
from typing import Any

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
