"""Dispatch validates, authorizes, times out and logs every call."""

from __future__ import annotations

import json
import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import Field

from aurora.errors import Cancelled, Code, Fault
from aurora.tools.core.declaration import Example, StrictModel, Tool
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.tools.core.context import Context

LINE = {"time", "request_id", "surface", "tool", "duration_ms", "status", "code"}
"""What a line of the log holds; never an argument."""


class Inner(StrictModel):
    number: int = Field(ge=1)


class Given(StrictModel):
    text: str
    many: tuple[Inner, ...] = ()
    either: int | tuple[str, ...] = 0


class Settings(StrictModel):
    loud: bool = False


class Told(StrictModel):
    text: str


def echo(given: Given, context: Context) -> Told:
    return Told(text=given.text.upper() if context.params.loud else given.text)


ECHO = Tool(
    name="test.echo",
    title="Echo",
    description="Says it again.",
    input=Given,
    output=Told,
    run=echo,
    family="core",
    risk="read",
    idempotent=True,
    timeout=5.0,
    examples=(Example("A word", {"text": "hello"}),),
    params=Settings,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path) as opened:
        yield opened


def refused(workspace: Workspace, arguments: Any, *, tool: Any = ECHO, **how: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        call_tool(workspace, tool.name, arguments, tools=ToolRegistry.from_tools([tool]), **how)
    return caught.value


def test_the_output_is_json_and_the_params_reach_the_tool(workspace: Workspace) -> None:
    box = ToolRegistry.from_tools([ECHO])
    assert call_tool(workspace, "test.echo", {"text": "hi", "many": [{"number": 1}]}, tools=box) == {"text": "hi"}
    assert call_tool(workspace, "test.echo", {"text": "hi"}, params={"loud": True}, tools=box) == {"text": "HI"}


@pytest.mark.requirement("triads-47")
def test_all_mistakes_in_arguments_are_reported_at_once_with_their_paths(workspace: Workspace) -> None:
    fault = refused(workspace, {"txt": "hi", "many": [{"number": 1}, {"number": 0}, {"numbr": 2}], "either": "x"})
    assert fault.code is Code.INVALID_INPUT
    faults = {one["path"]: one for one in fault.details["faults"]}
    assert {"$.text", "$.txt", "$.many[1].number", "$.many[2].number", "$.many[2].numbr", "$.either"} == set(faults)
    assert faults["$.txt"]["suggestion"] == "text"
    assert faults["$.many[1].number"]["expected"] == "greater than or equal to 1"
    assert "text" in fault.help


@pytest.mark.requirement("triads-47")
@pytest.mark.parametrize("wrong", [{"text": 1}, {"text": None}, {"text": True}, {"text": ["a"]}, {}])
def test_types_are_not_coerced(workspace: Workspace, wrong: dict[str, Any]) -> None:
    assert refused(workspace, wrong).code is Code.INVALID_INPUT


def test_params_are_checked_like_arguments(workspace: Workspace) -> None:
    fault = refused(workspace, {"text": "hi"}, params={"lod": True})
    assert fault.code is Code.INVALID_INPUT
    assert fault.details["faults"][0]["path"] == "$.lod"
    assert "params" in fault.message


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def circle() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["text"] = value
    return value


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"text": "x" * 1_000_001}, "larger than 1 MB"),
        ({"text": "ü" * 500_001}, "larger than 1 MB"),
        ({"text": deep(101)}, "nested more than 100 deep"),
        ({"text": deep(50_000)}, "nested more than 100 deep"),
        (circle(), "nested more than 100 deep"),
        ({"text": float("nan")}, "JSON"),
        ({"text": 10**5000}, "JSON"),
        ({"text": b"bytes"}, "JSON"),
        ({1: "x"}, "JSON"),
        ({"text": "\ud800"}, "JSON"),
    ],
    ids=["long", "long in bytes", "deep", "very deep", "circle", "nan", "huge number", "bytes", "key", "surrogate"],
)
def test_harmful_arguments_are_refused_before_they_are_parsed(workspace: Workspace, arguments: Any, told: str) -> None:
    fault = refused(workspace, arguments)
    assert fault.code is Code.INVALID_INPUT
    assert told in fault.message
    assert fault.help


def test_arguments_just_below_the_size_limit_are_accepted(workspace: Workspace) -> None:
    text = "x" * 999_000
    assert call_tool(workspace, "test.echo", {"text": text}, tools=ToolRegistry.from_tools([ECHO]))["text"] == text


def test_a_read_only_project_refuses_a_writing_tool_before_it_runs(tmp_path: Path) -> None:
    ran = threading.Event()

    def write(given: Given, context: Context) -> Told:
        del context
        ran.set()
        return Told(text=given.text)

    for risk in ("write", "high"):
        with Workspace(tmp_path, read_only=True) as workspace:
            fault = refused(workspace, {"text": "hi"}, tool=replace(ECHO, run=write, risk=risk))
        assert fault.code is Code.FORBIDDEN
    assert not ran.is_set()
    assert list(tmp_path.iterdir()) == []


def test_after_its_timeout_a_call_returns_and_its_work_ends_at_the_next_report(workspace: Workspace) -> None:
    ended = threading.Event()
    go_on = threading.Event()

    def slow(given: Given, context: Context) -> Told:
        go_on.wait(10)
        try:
            context.progress(1, None, "still at it")
        except Cancelled:
            ended.set()
            raise
        return Told(text=given.text)

    fault = refused(workspace, {"text": "hi"}, tool=replace(ECHO, run=slow, timeout=0.05))
    assert fault.code is Code.TIMEOUT
    assert "0.05 s" in fault.message
    go_on.set()
    assert ended.wait(10)


@pytest.mark.requirement("auditgraph-23")
def test_a_bug_is_an_internal_error_without_argument_values(workspace: Workspace) -> None:
    def broken(given: Given, context: Context) -> Told:
        del context
        raise RuntimeError(given.text)

    fault = refused(workspace, {"text": "a secret"}, tool=replace(ECHO, run=broken), request_id="r1")
    assert fault.code is Code.INTERNAL_ERROR
    assert fault.details == {"request_id": "r1"}
    assert "a secret" not in json.dumps(fault.to_json())


def test_a_fault_of_a_tool_is_raised_unchanged(workspace: Workspace) -> None:
    raised = Fault(Code.CONFLICT, "no", help="yes", details={"a": 1})

    def conflicting(given: Given, context: Context) -> Told:
        del given, context
        raise raised

    assert refused(workspace, {"text": "hi"}, tool=replace(ECHO, run=conflicting)) is raised


@pytest.mark.requirement("triads-44")
def test_each_call_is_logged_once_without_arguments(workspace: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "aurora.calls"):
        call_tool(workspace, "test.echo", {"text": "a secret"}, tools=ToolRegistry.from_tools([ECHO]), request_id="r1")
        refused(workspace, {"text": 1})
        with pytest.raises(Fault):
            call_tool(workspace, "x" * 5000, {})
    lines = [json.loads(record.message) for record in caplog.records]
    assert [line["code"] for line in lines] == [None, "INVALID_INPUT", "NOT_FOUND"]
    assert [line["status"] for line in lines] == ["ok", "error", "error"]
    assert lines[0]["request_id"] == "r1"
    assert all(set(line) == LINE for line in lines)
    assert "a secret" not in caplog.text
    assert len(lines[2]["tool"]) <= 80
