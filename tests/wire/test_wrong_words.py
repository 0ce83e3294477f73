"""Whatever a host asks for wrongly is answered in a sentence with a code, and the server goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

LONG = "x" * 100_000
WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("resources/read", {"uri": "aurora://chunk/code:000000000000"}, "NOT_FOUND", "there is no chunk"),
    ("resources/read", {"uri": f"aurora://chunk/{LONG}"}, "NOT_FOUND", "there is no chunk"),
    ("resources/read", {"uri": "aurora://run/none"}, "NOT_FOUND", "there is no run"),
    ("resources/read", {"uri": "aurora://run/"}, "INVALID_INPUT", "is not the URI of a resource"),
    ("resources/read", {"uri": "aurora://workflow/"}, "INVALID_INPUT", "is not the URI of a resource"),
    ("resources/read", {"uri": "aurora://workflow/saor"}, "NOT_FOUND", 'Did you mean "soar"'),
    ("resources/read", {"uri": "aurora://workflow/soar/asess"}, "NOT_FOUND", 'did you mean "assess"'),
    ("resources/read", {"uri": "aurora://workflow/../../etc/passwd"}, "NOT_FOUND", "there is no workflow"),
    ("resources/read", {"uri": "aurora://workflow/..%2F..%2Fsecret"}, "NOT_FOUND", "there is no workflow"),
    ("resources/read", {"uri": "aurora://workflow/soar%00"}, "NOT_FOUND", "there is no workflow"),
    ("resources/read", {"uri": "aurora://nothing/soar"}, "INVALID_INPUT", "is not the URI of a resource"),
    ("resources/read", {"uri": "file:///etc/passwd"}, "INVALID_INPUT", "is not the URI of a resource"),
    ("resources/read", {"uri": ""}, "INVALID_INPUT", "is not the URI of a resource"),
    ("prompts/get", {"name": "saor", "arguments": {"query": "x"}}, "NOT_FOUND", 'Did you mean "soar"'),
    ("prompts/get", {"name": "soar"}, "INVALID_INPUT", '"soar" needs "query"'),
    ("prompts/get", {"name": "soar", "arguments": {"query": "  "}}, "INVALID_INPUT", '"soar" needs "query"'),
    (
        "prompts/get",
        {"name": "soar", "arguments": {"qery": "x"}},
        "INVALID_INPUT",
        'takes no argument "qery"; did you mean "query"',
    ),
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
    for number, (method, params, code, said) in enumerate(WRONG):
        error = ask(server, number, method, params)["error"]
        assert error["data"]["code"] == code, error
        assert said in error["message"] + error["data"]["help"]
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
