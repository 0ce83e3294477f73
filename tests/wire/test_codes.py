"""The same failure has the same code on every surface, and too much at once is told as such."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.cli.main import main
from aurora.faults import Fault
from aurora.tools.dispatch import invoke
from aurora.tools.toolbox import Toolbox
from aurora.tools.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

PHASE = """aurora: 1
name: failing
version: 1.0.0
start: fail
phases:
  fail:
    inputs: {{}}
    uses: {tool}
    with: {arguments}
    output: {{ type: object }}
    next_action: end
"""
FAILING = [
    ("INVALID_INPUT", "mem.search", {"query": "x", "since": "long ago"}, ["mem", "search", "x", "--since", "long ago"]),
    ("NOT_FOUND", "graph.node", {"name": "no_such_name"}, ["graph", "node", "no_such_name"]),
    ("FORBIDDEN", "mem.get", {"path": "../outside"}, ["mem", "get", "--path", "../outside"]),
    ("CONFLICT", "graph.node", {"name": "__init__"}, ["graph", "node", "__init__"]),
]


@pytest.fixture
def server(project: Any) -> Iterator[Any]:
    return project.serve("--toolsets", "all").shake_hands()


@pytest.mark.parametrize(("code", "tool", "arguments", "words"), FAILING, ids=[one[0] for one in FAILING])
def test_a_failure_has_one_code_wherever_it_happens(  # noqa: PLR0913, PLR0917 - four of these are the case
    code: str,
    tool: str,
    arguments: dict[str, Any],
    words: list[str],
    project: Any,
    server: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = {name: "`" + json.dumps(value) + "`" for name, value in arguments.items()}
    project.write(".aurora/workflows/failing.yaml", PHASE.format(tool=tool, arguments=json.dumps(said)))
    found = {}
    with Workspace(project.root) as workspace:
        with pytest.raises(Fault) as caught:
            invoke(workspace, tool, arguments)
        found["python"] = caught.value.code.value
        response = invoke(workspace, "workflow.step", {"phase": "fail", "workflow": "failing"})
        found["phase"] = response["error"]["code"]
    monkeypatch.chdir(project.root)
    assert main([*words, "--json"]) == 1
    found["cli"] = json.loads(capsys.readouterr().out)["error"]["code"]
    server.call(1, Toolbox().find(tool).mcp, arguments)
    found["mcp"] = server.answer(1)["result"]["structuredContent"]["error"]["code"]
    assert found == dict.fromkeys(("python", "phase", "cli", "mcp"), code)


def test_one_call_too_many_is_rate_limited_and_taken_a_moment_later(project: Any) -> None:
    for number in range(80):
        body = "\n\n".join(f"def work_{number}_{part}(value):\n    return value + {part}" for part in range(40))
        project.write(f"made/part_{number}.py", body + "\n")
    server = project.serve("--toolsets", "admin", AURORA_CALLS_AT_ONCE="1").shake_hands()
    server.call("long", "aurora_mem_index", {}, progressToken="watch")
    while server.receive().get("method") != "notifications/progress":
        pass
    server.call("refused", "aurora_get", {"path": "README.md"})
    error = server.answer("refused")["result"]["structuredContent"]["error"]
    assert error["code"] == "RATE_LIMITED"
    assert "Send the same call again" in error["help"]
    server.answer("long")
    server.call("again", "aurora_get", {"path": "README.md"})
    assert server.answer("again")["result"]["isError"] is False
    logged = (project.root / ".aurora" / "logs" / "calls.jsonl").read_text()
    assert [json.loads(line)["code"] for line in logged.splitlines()][-3:] == ["RATE_LIMITED", None, None]


def test_a_tool_that_writes_is_not_listed_when_read_only_and_is_forbidden_all_the_same(project: Any) -> None:
    server = project.serve("--toolsets", "admin,knowledge", "--read-only").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    listed = {tool["name"] for tool in server.answer(1)["result"]["tools"]}
    hidden = {tool.mcp for tool in Toolbox().mcp(("admin", "knowledge")) if tool.risk != "read"}
    assert "aurora_mem_stats" in listed
    assert hidden
    assert not listed & hidden
    server.call(2, "aurora_mem_index", {})
    assert server.answer(2)["result"]["structuredContent"]["error"]["code"] == "FORBIDDEN"


def test_the_environment_names_toolsets_and_the_option_goes_before_it(project: Any) -> None:
    def families(*options: str) -> set[str]:
        server = project.serve(*options, AURORA_TOOLSETS="graph,runs").shake_hands()
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        by_name = {tool.mcp: tool.family for tool in Toolbox().mcp(("all",))}
        return {by_name[tool["name"]] for tool in server.answer(1)["result"]["tools"]}

    assert families() == {"core", "graph", "runs"}
    assert families("--toolsets", "agents") == {"core", "agents"}


def test_an_alias_is_listed_with_its_tool_and_answers_as_it_does(project: Any) -> None:
    server = project.serve("--toolsets", "graph").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    (meta,) = [one["_meta"] for one in server.answer(1)["result"]["tools"] if one["name"] == "aurora_graph_callers"]
    assert meta["aurora/aliases"] == ["find_callers"]
    told = []
    for number, name in enumerate(("find_callers", "aurora_graph_callers"), 2):
        server.call(number, name, {"name": "README.md"})
        told.append(server.answer(number)["result"]["structuredContent"])
    assert told[0] == told[1]
    server.call(4, "Find_Callers", {"name": "README.md"})
    assert server.answer(4)["result"]["structuredContent"]["error"]["code"] == "NOT_FOUND"
