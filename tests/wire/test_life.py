"""The server's beginning and end, and calls that run beside each other."""

from __future__ import annotations

import contextlib
import json
import signal
from typing import Any

import anyio
import apsw
import pytest

LINE = {"time", "request_id", "surface", "tool", "duration_ms", "status", "code"}
"""What a line of the log holds; never an argument."""


@pytest.fixture
def slow(project: Any) -> Any:
    """A project whose indexing takes a while."""
    for number in range(100):
        body = "\n\n".join(f"def work_{number}_{part}(value):\n    return value + {part}" for part in range(60))
        project.write(f"made/part_{number}.py", body + "\n")
    return project


def index(server: Any, identifier: Any) -> None:
    """Begin to index, and wait until it is under way."""
    server.call(identifier, "aurora_mem_index", {}, progressToken="watch")
    while server.receive().get("method") != "notifications/progress":
        pass


def test_the_end_of_input_ends_the_server_cleanly(project: Any) -> None:
    server = project.serve()
    assert server.close() == 0
    assert server.log.read_text() == ""


def test_requests_that_come_all_at_once_with_the_end_of_input_are_all_answered(project: Any) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "printf", "version": "1"}}
    missing = {"path": "no_such_file"}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "aurora_get", "arguments": missing},
        },
    ]
    server = project.serve()
    server.end_input("".join(json.dumps(line) + "\n" for line in lines).encode())
    found = {answer["id"]: answer for answer in (server.receive() for _ in range(3))}
    assert len(found[2]["result"]["tools"]) == 3
    assert found[3]["result"]["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert server.process.wait(60) == 0


def test_it_ends_cleanly_after_calls_too_and_logged_one_line_for_each(project: Any) -> None:
    server = project.serve().shake_hands()
    server.call(1, "aurora_search", {"query": "a very private question"})
    server.answer(1)
    server.call(2, "aurora_get", {"ids": ["code:none"]})
    server.answer(2)
    assert server.close() == 0
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [(line["tool"], line["code"]) for line in lines] == [("mem.search", None), ("mem.get", "NOT_FOUND")]
    assert all(set(line) == LINE for line in lines)


@pytest.mark.parametrize(("number", "busy"), [(signal.SIGTERM, True), (signal.SIGINT, True), (signal.SIGINT, False)])
def test_a_signal_ends_it_at_once_without_a_traceback(slow: Any, number: signal.Signals, *, busy: bool) -> None:
    server = slow.serve("--toolsets", "admin").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    server.answer(1)
    if busy:
        index(server, 2)
    server.process.send_signal(number)
    assert server.process.wait(60) == 0
    assert "Traceback" not in server.log.read_text()


def test_the_end_of_input_does_not_wait_for_a_call_that_still_works(slow: Any) -> None:
    server = slow.serve("--toolsets", "admin").shake_hands()
    index(server, 1)
    server.end_input()
    assert server.process.wait(60) == 0
    assert "Traceback" not in server.log.read_text()


def test_a_slow_call_holds_up_no_other(slow: Any) -> None:
    server = slow.serve("--toolsets", "admin").shake_hands()
    index(server, "slow")
    server.send({"jsonrpc": "2.0", "id": "ping", "method": "ping"})
    server.call("quick", "aurora_get", {"path": "README.md"})
    answered = []
    while "slow" not in answered:
        found = server.receive()
        if "method" not in found:
            answered.append(found["id"])
    assert sorted(answered[:2]) == ["ping", "quick"]


def test_a_cancelled_call_is_given_up_and_never_answered(slow: Any) -> None:
    server = slow.serve("--toolsets", "admin").shake_hands()
    index(server, "slow")
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
    server.call("after", "aurora_get", {"path": "README.md"})
    assert server.answer("after")["result"]["isError"] is False
    server.call("again", "aurora_mem_index", {})  # waits for nobody: the cancelled one has let go of the database
    while (found := server.receive()).get("id") != "again":
        assert found.get("id") != "slow"
    assert found["result"]["isError"] is False, found
    assert server.close() == 0
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    codes = [line["code"] for line in lines if line["tool"] == "mem.index"]
    assert codes.count(None) == 1  # the cancelled one ends at its next report, before or after the other's end
    assert set(codes) <= {None, "TIMEOUT"}


def test_what_a_cancelled_call_had_not_committed_is_never_written(project: Any) -> None:
    server = project.serve("--toolsets", "knowledge").shake_hands()
    with contextlib.closing(apsw.Connection(str(project.root / ".aurora" / "memory.db"))) as other:
        other.execute("BEGIN IMMEDIATE")  # so that it waits
        server.call("given up", "aurora_mem_add", {"text": "It rained on the release."})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "given up"}})
        server.call("after", "aurora_get", {"path": "README.md"})
        server.answer("after")
        other.execute("ROLLBACK")
        server.call("next", "aurora_mem_add", {"text": "It snowed on the branch."})
        assert server.answer("next")["result"]["isError"] is False
        texts = [text for (text,) in other.execute("SELECT text FROM chunks WHERE path IS NULL")]
    assert server.close() == 0
    assert texts == ["It snowed on the branch."]


def test_what_a_killed_server_had_indexed_is_completed_by_the_next(slow: Any) -> None:
    slow.is_forked = False
    first = slow.serve("--toolsets", "admin").shake_hands()
    index(first, 1)
    first.process.kill()
    first.process.wait(60)
    second = slow.serve("--toolsets", "admin").shake_hands()
    second.call(1, "aurora_mem_index", {})
    assert second.answer(1)["result"]["isError"] is False
    second.call(2, "aurora_search", {"query": "work_99_59", "limit": 1})
    assert second.answer(2)["result"]["structuredContent"]["hits"][0]["path"] == "made/part_99.py"


@pytest.mark.requirement("triads-51")
def test_a_server_that_is_only_started_leaves_nothing_in_the_project(project: Any, tmp_path: Any) -> None:
    project.root = tmp_path / "empty"
    project.root.mkdir()
    server = project.serve().shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    server.answer(1)
    server.call(2, "aurora_get", {"path": "no_such"})
    server.answer(2)
    assert server.close() == 0
    assert list(project.root.iterdir()) == []


def test_read_only_in_the_environment_forbids_as_the_option_does(project: Any) -> None:
    server = project.serve("--toolsets", "admin", READ_ONLY="1").shake_hands()
    server.call(1, "aurora_mem_index", {})
    assert server.answer(1)["result"]["structuredContent"]["error"]["code"] == "FORBIDDEN"
    server.call(2, "aurora_query", {"phase": "assess", "query": "what is a parameter"})
    assert server.answer(2)["result"]["structuredContent"]["status"] == "complete"


@pytest.mark.anyio
async def test_a_hundred_calls_at_once_are_all_answered(connect: Any) -> None:
    answered = []

    async def one(client: Any, number: int) -> None:
        result = await client.call_tool("aurora_get", {"path": "click/core.py", "lines": f"{number + 1}"})
        answered.append((number, result.structured_content["chunks"][0]["lines"]))

    async with connect() as client, anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(one, client, number)
    assert sorted(answered) == [(number, f"{number + 1}-{number + 1}") for number in range(100)]


@pytest.mark.anyio
async def test_two_servers_over_one_project_do_not_disturb_each_other(project: Any) -> None:
    indexed = []

    async def index_again(client: Any) -> None:
        indexed.append((await client.call_tool("aurora_mem_index", {})).is_error)

    async with (
        project.client("auto", "--toolsets", "admin") as one,
        project.client("legacy") as other,
        anyio.create_task_group() as group,
    ):
        group.start_soon(index_again, one)
        for _ in range(5):
            assert (await other.call_tool("aurora_search", {"query": "CliRunner"})).structured_content["hits"]
    assert indexed == [False]
