"""Arguments in the forms that clients send: null for what is left out, numbers as text, one value for a list."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.anyio

PLAIN = {"query": "progress bar", "limit": 3, "types": ["code"]}


async def call(client: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = (await client.call_tool(tool, arguments)).structured_content
    return content


FORMS: list[dict[str, Any]] = [
    {"limit": 3.0},
    {"limit": "3"},
    {"limit": " 3.0 "},
    {"types": "code"},
    {"types": '["code"]'},
    {"offset": None, "path": None, "language": None, "kind": None, "since": None, "workflow": None, "run": None},
    {"limit": "3", "types": "code", "offset": 0.0},
]


async def test_a_search_in_the_form_of_a_client_finds_the_same(connect: Any) -> None:
    async with connect() as client:
        plain = await call(client, "aurora_search", PLAIN)
        assert len(plain["hits"]) == 3
        for changed in FORMS:
            assert (await call(client, "aurora_search", PLAIN | changed))["hits"] == plain["hits"], changed


async def test_null_stands_for_every_argument_that_may_be_left_out(connect: Any) -> None:
    async with connect() as client:
        listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        await call(client, "aurora_search", PLAIN)  # the note about material comes once a session
        for name, needed in {
            "aurora_search": {"query": "progress bar"},
            "aurora_get": {"path": "click/core.py"},
        }.items():
            schema = listed[name]
            left_out = dict.fromkeys(set(schema["properties"]) - set(schema.get("required", ())) - set(needed))
            plain = await call(client, name, needed)
            assert "error" not in plain
            assert await call(client, name, left_out | needed) == plain


async def test_a_step_may_come_as_text_and_its_options_as_null(connect: Any) -> None:
    async with connect() as client:
        begun = await call(
            client, "aurora_query", {"query": "Why is the progress bar slow?", "detail": None, "run": ""}
        )
        again = begun["next_call"]["arguments"]
        sent = again | ({"step": str(again["step"])} if "step" in again else {})
        went_on = await call(client, "aurora_query", sent | {"detail": "", "workflow": ""})
    assert begun.get("error") is None
    assert went_on.get("error") is None
    assert went_on["run"] == begun["run"]


async def test_lines_and_ids_of_a_get_may_be_single_values(connect: Any) -> None:
    async with connect() as client:
        line = await call(client, "aurora_get", {"path": "click/core.py", "lines": 10})
        found = (await call(client, "aurora_search", PLAIN))["hits"][0]["id"]
        one = await call(client, "aurora_get", {"ids": found, "path": None})
        listed = await call(client, "aurora_get", {"ids": f'["{found}"]'})
    assert line["chunks"][0]["lines"] == "10-10"
    assert one == listed
    assert one["chunks"][0]["id"] == found


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"limit": "many"}, '"limit" should be a valid integer'),
    ({"limit": 3.5}, '"limit" should be a valid integer'),
    ({"limit": "9" * 400}, '"limit" should be a valid integer'),
    ({"limit": True}, '"limit" should be a valid integer'),
    ({"limit": "500"}, '"limit" should be less than or equal to 50'),
    ({"query": None}, '"query" is missing'),
    ({"query": ["a", "b"]}, '"query" should be a valid string'),
    ({"types": "novels"}, '"types[0]" should be'),
    ({"types": "[" * 5000}, '"types[0]" should be'),
    ({"limt": None}, 'unknown argument "limt"; did you mean "limit"?'),
]


async def test_a_value_without_a_clear_meaning_is_refused_by_name(connect: Any) -> None:
    async with connect() as client:
        for wrong, said in WRONG:
            told = await call(client, "aurora_search", PLAIN | wrong)
            assert told["error"]["code"] == "INVALID_INPUT"
            assert said in told["error"]["message"]
