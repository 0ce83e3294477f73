"""The server takes over from the session that answered meanwhile: nothing is lost, and nothing stays wrong."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.fixture
def early(project: Any, starts: Any, tmp_path: Path) -> Any:
    """Starts servers in a new interpreter, after a first one has written the cache."""
    project.is_forked = False
    wait_until_settled(project.root)
    cache = tmp_path / "caches"

    class Early:
        root = project.root

        @staticmethod
        def serve(*lines: Any, **environ: str) -> Any:
            server = project.serve(XDG_CACHE_HOME=str(cache), **environ)
            for line in lines:
                server.send(line)
            return server

        @classmethod
        def warm_up(cls, *lines: Any) -> None:
            server = cls.serve(*lines)
            server.answer("tools/list")
            server.close()
            assert cls.find_cache().exists()

        @staticmethod
        def find_cache() -> Path:
            (found,) = (cache / "aurora" / "start").glob("*.json")
            return found

    Early.request = staticmethod(starts.make_request)  # type: ignore[attr-defined]
    Early.hands = staticmethod(starts.shake_hands)  # type: ignore[attr-defined]
    return Early


def wait_until_settled(folder: Path) -> None:
    """Wait until files are old enough for a cache: `python -m` imports from the folder."""
    changed = max(path.stat().st_ctime_ns for path in folder.rglob("*.py"))
    while time.time_ns() < changed + 60_000_000:
        time.sleep(0.005)


def is_loaded(server: Any) -> bool:
    with open(f"/proc/{server.process.pid}/maps", encoding="utf-8") as maps:  # noqa: PTH123 - of the kernel
        return "pydantic_core" in maps.read()


def hello(early: Any, **capabilities: Any) -> list[Any]:
    return [*early.hands(**capabilities), early.request("tools/list", "tools/list")]


def search(early: Any, identifier: Any, query: str = "CliRunner") -> Any:
    return early.request(identifier, "tools/call", {"name": "aurora_search", "arguments": {"query": query}})


def test_calls_sent_at_once_are_answered_by_the_server_and_lists_do_not_wait_for_them(early: Any) -> None:
    early.warm_up(*hello(early))
    server = early.serve(*hello(early), search(early, 1), search(early, 2), early.request(3, "prompts/list"))
    order = [server.receive()["id"] for _ in range(5)]
    assert order[:3] == ["hello", "tools/list", 3]
    assert set(order[3:]) == {1, 2}
    server.send(search(early, 4, "Context.invoke"))
    assert server.answer(4)["result"]["structuredContent"]["hits"]
    assert server.close() == 0


def test_a_call_that_the_host_cancels_while_it_waits_is_not_answered(early: Any) -> None:
    early.warm_up(*hello(early))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    server = early.serve(*hello(early), search(early, 1), cancel, search(early, 2))
    order = [server.receive()["id"] for _ in range(3)]
    assert order == ["hello", "tools/list", 2]
    assert server.close() == 0
    assert server.process.stdout.closed


def test_lines_that_arrive_in_pieces_while_the_server_is_loaded_are_read_whole(early: Any) -> None:
    early.warm_up(*hello(early))
    server = early.serve(*hello(early), search(early, 0))
    lines = b"".join(json.dumps(search(early, number)).encode() + b"\n" for number in range(1, 6))
    for start in range(0, len(lines), 7):
        server.process.stdin.write(lines[start : start + 7])
        server.process.stdin.flush()
        time.sleep(0.005)  # the pieces arrive before, during and after the hand-over
    found = {server.receive()["id"] for _ in range(8)}
    assert found == {"hello", "tools/list", *range(6)}
    assert server.close() == 0


def test_the_server_knows_what_the_host_declared_before_it_was_loaded(early: Any, project: Any) -> None:
    project.write(".aurora/workflows/gate.yaml", GATE)
    early.warm_up(*hello(early, elicitation={}))
    server = early.serve(*hello(early, elicitation={}))
    server.call("ask", "aurora_query", {"phase": "ask", "workflow": "gate", "what": "all"})
    while (request := server.receive()).get("method") != "elicitation/create":
        assert "method" in request or request["id"] in {"hello", "tools/list"}
    server.send({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "decline"}})
    assert server.answer("ask")["result"]["structuredContent"]["prompt_template"] == "Stop."
    assert server.close() == 0


def test_an_answer_that_was_wrong_is_corrected_and_the_cache_replaced(early: Any) -> None:
    early.warm_up(*hello(early))
    cache = early.find_cache()
    right = cache.read_bytes()
    cache.write_bytes(right.replace(b"aurora_search", b"aurora_scorch"))
    server = early.serve(*hello(early))
    assert "aurora_scorch" in json.dumps(server.answer("tools/list"))
    assert server.receive()["method"] == "notifications/tools/list_changed"
    server.send(early.request("again", "tools/list"))
    assert "aurora_search" in json.dumps(server.answer("again"))
    assert server.close() == 0
    assert "cache of the start was wrong" in server.log.read_text()
    second = early.serve(*hello(early))
    assert "aurora_search" in json.dumps(second.answer("tools/list"))
    assert second.close() == 0


def test_a_workflow_that_is_edited_while_the_server_is_loaded_is_announced(early: Any, project: Any) -> None:
    file = project.write(".aurora/workflows/gate.yaml", GATE)
    early.warm_up(*hello(early))
    server = early.serve(*hello(early))
    assert '"gate"' in json.dumps(server.answer("tools/list"))
    file.unlink()
    assert server.receive()["method"] == "notifications/tools/list_changed"
    server.send(early.request("again", "tools/list"))
    assert '"gate"' not in json.dumps(server.answer("again"))
    assert server.close() == 0


def test_the_server_is_loaded_behind_the_answers_without_a_further_request(early: Any) -> None:
    early.warm_up(*hello(early))
    server = early.serve(*hello(early))
    server.answer("tools/list")
    deadline = time.monotonic() + 30
    while not is_loaded(server):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert server.close() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_silently_while_it_answers_and_while_the_server_is_loaded(
    early: Any, number: signal.Signals
) -> None:
    early.warm_up(*hello(early))
    for lines in (hello(early), [*hello(early), search(early, 1)]):
        server = early.serve(*lines)
        server.answer("tools/list")
        server.process.send_signal(number)
        assert server.process.wait(30) == 0
        assert server.log.read_text() == ""


def test_the_end_of_input_while_the_server_is_loaded_ends_it_when_nothing_waits(early: Any) -> None:
    early.warm_up(*hello(early))
    server = early.serve(*hello(early), search(early, 1))
    server.answer("tools/list")
    server.end_input()
    assert server.answer(1)["result"]["structuredContent"]["hits"], "what waits is answered first"
    assert server.process.wait(30) == 0
