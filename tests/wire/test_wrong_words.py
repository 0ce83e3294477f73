"""Whatever a host asks for wrongly is answered in a sentence with a code, and the server goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

LONG = "x" * 100_000
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("resources/read", {"uri": "aurora://chunk/code:000000000000"}, "NOT_FOUND"),
    ("resources/read", {"uri": f"aurora://chunk/{LONG}"}, "NOT_FOUND"),
    ("resources/read", {"uri": "aurora://run/none"}, "NOT_FOUND"),
    ("resources/read", {"uri": "aurora://run/"}, "INVALID_INPUT"),
    ("resources/read", {"uri": "aurora://workflow/../../etc/passwd"}, "NOT_FOUND"),
    ("resources/read", {"uri": "aurora://workflow/soar%00"}, "NOT_FOUND"),
    ("resources/read", {"uri": "aurora://nothing/soar"}, "INVALID_INPUT"),
    ("resources/read", {"uri": "file:///etc/passwd"}, "INVALID_INPUT"),
    ("resources/read", {"uri": ""}, "INVALID_INPUT"),
    ("prompts/get", {"name": "sour"}, "NOT_FOUND"),
    ("prompts/get", {"name": "soar"}, "INVALID_INPUT"),
    ("prompts/get", {"name": "soar", "arguments": {"query": "x", "colour": "red"}}, "INVALID_INPUT"),
]
PROMPT = {"type": "ref/prompt", "name": "soar"}
COMPLETED: list[dict[str, Any]] = [
    {"ref": PROMPT, "argument": {"name": "query", "value": LONG}},
    {"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "query", "value": ""}},
    {
        "ref": {"type": "ref/resource", "uri": "aurora://workflow/{workflow}"},
        "argument": {"name": "workflow", "value": LONG},
    },
    {"ref": {"type": "ref/resource", "uri": "aurora://none/{none}"}, "argument": {"name": "none", "value": ""}},
]


@pytest.fixture
def server(project: Any) -> Any:
    return project.serve().shake_hands()


def ask(server: Any, number: int, method: str, params: dict[str, Any]) -> Any:
    server.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    return server.answer(number)


def test_what_is_not_there_or_not_meant_so_is_told_with_what_would_be_right(server: Any) -> None:
    for number, (method, params, code) in enumerate(WRONG):
        error = ask(server, number, method, params)["error"]
        assert error["data"]["code"] == code, error
        assert error["data"]["help"]
        after = error["message"].partition(". ")[2]
        assert not after[:1].islower(), "a sentence begins with a capital letter"
        assert len(json.dumps(error)) < 4000
    assert ask(server, 99, "ping", {})["result"] == {}


def test_what_cannot_be_completed_is_completed_with_nothing(server: Any) -> None:
    for number, params in enumerate(COMPLETED):
        assert ask(server, number, "completion/complete", params)["result"]["completion"]["values"] == []
    names = {"ref": {"type": "ref/resource", "uri": "aurora://workflow/{workflow}"}}
    told = ask(server, 99, "completion/complete", {**names, "argument": {"name": "workflow", "value": "so"}})
    assert told["result"]["completion"]["values"] == ["soar", "soar-fast"]
