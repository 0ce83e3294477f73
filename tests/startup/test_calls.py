"""Calls before the server is ready: what runs, what waits for the server, and what is never answered."""

from __future__ import annotations

import json
import threading
from _thread import RLock
from typing import TYPE_CHECKING, Any

import pytest

from aurora.startup import Opening
from aurora.startup.calls import CANCELLED, TOOLS_CALL, EarlyCalls
from aurora.startup.line import parse_line

if TYPE_CHECKING:
    from aurora.startup import Line


class SlowCall:
    """Call that runs until it is let, or cancelled."""

    def __init__(self, *, changes: bool, result: str | None) -> None:
        self.begun = threading.Event()
        self.let = threading.Event()
        self.is_cancelled = False
        self._changes = changes
        self._result = result

    def run(self) -> str | None:
        self.begun.set()
        assert self.let.wait(30)
        return self._result

    def cancel(self) -> None:
        self.is_cancelled = True
        self.let.set()

    def withdraw(self) -> bool:
        if not self._changes:
            self.cancel()
        return not self._changes


class Desk:
    """A runner of slow calls, with what reached the host and what the server would read."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.kept: list[bytes] = []
        self.lock = RLock()
        self.calls = EarlyCalls(self.lock, self.write, self.kept.append)
        self.calls.open(Opening("initialize", {}, "{}"))
        self.slow: dict[str, SlowCall] = {}
        self.changes = False
        self.result: str | None = '{"ok":1}'

    def write(self, text: str) -> bool:
        self.written.append(text)
        return True

    def prepare(self, line: Line, opening: Opening) -> SlowCall | None:
        assert opening.method == "initialize"
        if line.params is not None and line.params.get("name") == "odd":
            return None
        self.slow[line.id] = SlowCall(changes=self.changes, result=self.result)
        return self.slow[line.id]

    def send(self, identifier: Any, method: str = TOOLS_CALL, **params: Any) -> bool:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        raw = json.dumps(message if identifier is None else {**message, "id": identifier}).encode()
        line = parse_line(raw)
        assert line is not None
        with self.lock:
            return self.calls.take(line, raw)

    def offer(self) -> None:
        with self.lock:
            self.calls.offer(self)

    def finish(self, *names: str) -> None:
        for name in names:
            self.slow[name].let.set()
        self.calls.wait_until_idle(30)

    @property
    def kept_ids(self) -> list[Any]:
        return [json.loads(raw)["id"] for raw in self.kept]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_calls_wait_until_there_is_a_runner_and_each_is_answered_once(desk: Desk) -> None:
    assert desk.send(1)
    assert desk.send("two")
    desk.offer()
    assert desk.send(3)
    desk.finish("1", '"two"', "3")
    ids = [json.loads(line)["id"] for line in desk.written]
    assert sorted(map(str, ids)) == ["1", "3", "two"]
    assert desk.kept == []


def test_before_a_dialogue_is_open_a_call_is_the_servers(desk: Desk) -> None:
    fresh = EarlyCalls(desk.lock, desk.write, desk.kept.append)
    desk.calls = fresh
    assert not desk.send(1)


def test_a_call_that_the_runner_refuses_leaves_all_later_ones_to_the_server_in_order(desk: Desk) -> None:
    for number, name in enumerate(("plain", "odd", "plain")):
        assert desk.send(number, name=name)
    desk.offer()
    assert desk.kept_ids == [1, 2]
    assert not desk.send(3)
    desk.finish("0")
    assert len(desk.written) == 1


def test_a_call_of_which_nothing_ran_is_left_to_the_server(desk: Desk) -> None:
    desk.result = None
    desk.offer()
    desk.send(1)
    desk.finish("1")
    assert (desk.written, desk.kept_ids) == ([], [1])
    assert desk.calls.is_closed


def test_a_call_that_waits_and_is_cancelled_neither_runs_nor_is_answered(desk: Desk) -> None:
    desk.send(1)
    assert desk.send(None, CANCELLED, requestId=1)
    desk.offer()
    assert (desk.slow, desk.kept) == ({}, [])


def test_a_call_that_runs_and_is_cancelled_is_not_answered(desk: Desk) -> None:
    desk.offer()
    desk.send("a")
    assert desk.send(None, CANCELLED, requestId="a", reason="no need")
    desk.calls.wait_until_idle(30)
    assert desk.slow['"a"'].is_cancelled
    assert (desk.written, desk.kept) == ([], [])


@pytest.mark.parametrize("named", [7, "1", None, [1], {"a": 1}])
def test_the_cancellation_of_another_call_is_the_servers(desk: Desk, named: Any) -> None:
    desk.offer()
    desk.send(1)
    assert not desk.send(None, CANCELLED, requestId=named)
    desk.finish("1")
    assert len(desk.written) == 1


def test_the_cancellation_of_an_answered_call_closes_nothing(desk: Desk) -> None:
    desk.offer()
    desk.send(1)
    desk.finish("1")
    assert desk.send(None, CANCELLED, requestId=1)
    assert desk.send(2)
    desk.finish("2")
    assert (len(desk.written), desk.kept) == (2, [])
    desk.calls.close()
    assert not desk.send(None, CANCELLED, requestId=1)  # the server may have a call with the same id


def test_a_second_call_with_the_id_of_one_that_runs_is_the_servers(desk: Desk) -> None:
    desk.offer()
    assert desk.send(1)
    assert not desk.send(1)
    desk.finish("1")


def test_the_number_of_calls_is_bounded(desk: Desk) -> None:
    desk.offer()
    taken = [desk.send(number) for number in range(40)]
    assert taken == [True] * 16 + [False] * 24
    desk.finish(*map(str, range(16)))


def test_the_server_runs_what_still_runs_and_has_changed_nothing(desk: Desk) -> None:
    desk.offer()
    desk.send(1)
    assert desk.slow["1"].begun.wait(30)
    with desk.lock:
        desk.calls.hand_over()
    assert (desk.kept_ids, desk.written, desk.slow["1"].is_cancelled) == ([1], [], True)


def test_what_has_changed_something_is_awaited_and_answered(desk: Desk) -> None:
    desk.changes = True
    desk.offer()
    desk.send(1)
    threading.Thread(target=desk.slow["1"].let.set).start()
    with desk.lock:
        desk.calls.hand_over()
    assert (desk.kept, len(desk.written)) == ([], 1)
    assert not desk.send(2)
