"""Which steps are run before the protocol's library is loaded: those of runs that never ask the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.startup import Line, Opening
from aurora.tools.mcp.startup.early_calls import EarlyCallRunner
from aurora.tools.runtime import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

OPENING = Opening("initialize", {"clientInfo": {"name": "hand"}}, '{"protocolVersion":"2025-11-25"}')
QUESTION = {"query": "What is an OptionParser?"}


def run_early(project: Workspace, arguments: dict[str, Any], meta: Any = None) -> str | None:
    params = {"name": "aurora_query", "arguments": arguments} | ({} if meta is None else {"_meta": meta})
    call = EarlyCallRunner(project).prepare(Line({"method": "tools/call", "params": params}, "1"), OPENING)
    return call.run() if call is not None else None


def test_a_run_of_the_default_workflow_is_continued(indexed: Workspace) -> None:
    following = call_tool(indexed, "workflow.step", QUESTION)["next_call"]["arguments"]
    answer = run_early(indexed, following)
    assert answer is not None
    assert "2/9 retrieve" in answer


@pytest.mark.parametrize("run", ["nosuchrun", "", "../x", "last", 7])
def test_a_run_that_is_not_in_the_journal_is_left_to_the_server(indexed: Workspace, run: Any) -> None:
    call_tool(indexed, "workflow.step", QUESTION)
    assert run_early(indexed, {"phase": "retrieve", "run": run}) is None


def test_a_run_of_another_workflow_is_left_to_the_server(indexed: Workspace) -> None:
    begun = call_tool(indexed, "workflow.step", {**QUESTION, "workflow": "bug-fix"})
    assert run_early(indexed, begun["next_call"]["arguments"]) is None


def test_a_run_where_nothing_was_recorded_is_left_to_the_server_and_leaves_no_trace(workspace: Workspace) -> None:
    assert run_early(workspace, {"phase": "retrieve", "run": "nosuchrun"}) is None
    assert not (workspace.root / ".aurora").exists()


def test_an_answer_and_any_other_argument_are_left_to_the_server(indexed: Workspace) -> None:
    following = call_tool(indexed, "workflow.step", QUESTION)["next_call"]["arguments"]
    for more in ({"answer": "x"}, {"workflow": "bug-fix"}, {"override": 1}):
        assert run_early(indexed, {**following, **more}) is None


def nest(levels: int) -> Any:
    return [nest(levels - 1)] if levels else "x"


@pytest.mark.parametrize("meta", [{}, {"a": 1}, {"turn": {"ids": [1, {"b": None}]}}, {"deep": nest(6)}])
def test_the_own_metadata_of_a_host_changes_nothing(indexed: Workspace, meta: Any) -> None:
    assert run_early(indexed, QUESTION, meta) is not None


@pytest.mark.parametrize(
    "meta",
    [
        {"deep": nest(9)},
        {"deep": nest(400)},
        {"a": float("nan")},
        {"a": "\ud800"},
        {"\ud800": 1},
        {"progressToken": {}},
        {"io.modelcontextprotocol/related-task": {"taskId": "1"}},
        [],
        7,
    ],
)
def test_metadata_of_the_protocol_and_of_a_strange_form_is_left_to_the_server(indexed: Workspace, meta: Any) -> None:
    assert run_early(indexed, QUESTION, meta) is None
