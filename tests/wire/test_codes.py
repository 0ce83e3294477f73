"""The same failure has the same code on every surface, and too much at once is told as such."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from aurora.cli.main import main
from aurora.errors import Code, Fault
from aurora.memory.sqlite.owner import record_own
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import CALL_LIMITER, call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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
SURFACES = ("python", "phase", "mcp", "tools call", "command")
OWN_PROCESS = "each `aur` is a process of its own, which makes one call"
NOT_FOR_PHASES = "no phase of a workflow that a host steps may use the tool"


@dataclass(frozen=True)
class Failure:
    """One real failure: what is called, what is broken beforehand, and which surfaces cannot meet it, and why."""

    code: str
    tool: str
    arguments: dict[str, Any]
    words: tuple[str, ...]
    broken: Callable[[Path], None] | None = None
    environ: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)


def versioned(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)


def torn(root: Path) -> None:
    """The database's first page is overwritten, as by a failing disk."""
    record_own(root / ".aurora" / "memory.db")  # a copied file; a disk fails below one that was made here
    with (root / ".aurora" / "memory.db").open("r+b") as file:
        file.write(b"\xff" * 4096)


def strange(root: Path) -> None:
    """A table is a view, which no damage does and no Aurora makes."""
    with closing(apsw.Connection(str(root / ".aurora" / "memory.db"))) as db:
        names = [name for name, *_ in db.execute("SELECT name FROM pragma_table_info('chunks')")]
        db.execute("DROP TABLE chunks")
        db.execute(f"CREATE VIEW chunks AS SELECT {', '.join(f'brew() AS {name}' for name in names)}")


def unreadable(root: Path) -> None:
    """A record that is no JSON, which Aurora never writes."""
    with closing(apsw.Connection(str(root / ".aurora" / "memory.db"))) as db:
        db.execute("UPDATE chunks SET metadata = '{' WHERE path = 'README.md'")


TABLE = {
    "a filter that is no time": Failure(
        "INVALID_INPUT",
        "mem.search",
        {"query": "x", "since": "long ago"},
        ("mem", "search", "x", "--since", "long ago"),
    ),
    "a name that nothing has": Failure(
        "NOT_FOUND", "graph.node", {"name": "no_such_name"}, ("graph", "node", "no_such_name")
    ),
    "a name that several have": Failure("CONFLICT", "graph.node", {"name": "__init__"}, ("graph", "node", "__init__")),
    "a path out of the project": Failure(
        "FORBIDDEN", "mem.get", {"path": "/etc/passwd"}, ("mem", "get", "--path", "/etc/passwd")
    ),
    "a write while read-only": Failure(
        "FORBIDDEN",
        "mem.add",
        {"text": "It rained."},
        ("mem", "add", "It rained."),
        environ={"READ_ONLY": "1"},
        absent={"phase": NOT_FOR_PHASES},
    ),
    "a limit that is over": Failure(
        "TIMEOUT",
        "workflow.simulate",
        {"files": ["soar"]},
        ("workflow", "simulate", "soar"),
        environ={"AURORA_TIMEOUT": "0.05"},
        absent={"phase": NOT_FOR_PHASES},
    ),
    "more calls than are taken at once": Failure(
        "RATE_LIMITED",
        "mem.stats",
        {},
        ("mem", "stats"),
        environ={"AURORA_CALLS_AT_ONCE": "1"},
        absent={"tools call": OWN_PROCESS, "command": OWN_PROCESS},
    ),
    "a database that is torn": Failure("UPSTREAM_ERROR", "mem.stats", {}, ("mem", "stats"), torn),
    "a program that is not installed": Failure(
        "UPSTREAM_ERROR",
        "graph.diff",
        {"against": "HEAD"},
        ("graph", "diff", "HEAD"),
        versioned,
        environ={"PATH": "/nowhere"},
    ),
    "a view in place of a table": Failure("UPSTREAM_ERROR", "mem.stats", {}, ("mem", "stats"), strange),
    "a record that cannot be read": Failure(
        "UPSTREAM_ERROR",
        "mem.search",
        {"query": "pip install click"},
        ("mem", "search", "pip install click"),
        unreadable,
    ),
}
ELSEWHERE = {
    "UNAUTHORIZED": "only a server over HTTP asks who calls: tests/serve/test_tenants.py",
    "WORKFLOW_ERROR": "only a workflow's own text causes it: tests/interpreter/run",
    "INTERNAL_ERROR": "only a mistake in Aurora's code causes it: tests/tools/runtime/test_dispatch.py",
}
"""Code that not every surface can meet -> where its failure is tested."""


@contextmanager
def crowded() -> Iterator[None]:
    """The one call that this process takes is under way."""
    entered, leave = threading.Event(), threading.Event()

    def call() -> None:
        with CALL_LIMITER.admit_call():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=call)
    thread.start()
    entered.wait(60)
    try:
        yield
    finally:
        leave.set()
        thread.join()


def over_mcp(project: Any, failure: Failure) -> Any:
    server = project.serve("--toolsets", "all").shake_hands()
    with ExitStack() as held:
        if failure.code == "RATE_LIMITED":  # one call that has to wait for the database, and another beside it
            other = held.enter_context(closing(apsw.Connection(str(project.root / ".aurora" / "memory.db"))))
            other.execute("BEGIN IMMEDIATE")
            server.call("waits", "aurora_mem_add", {"text": "It rained."})
            server.call("beside", "aurora_mem_add", {"text": "It rained."})
            found = server.receive()
        else:
            server.call(1, ToolRegistry().find(failure.tool).mcp, failure.arguments)
            found = server.answer(1)
    return found["result"]["structuredContent"]["error"]


def as_a_phase(project: Any, failure: Failure) -> Any:
    said = {name: "`" + json.dumps(value) + "`" for name, value in failure.arguments.items()}
    text = PHASE.format(tool=failure.tool, arguments=json.dumps(said))
    project.write(".aurora/workflows/failing.yaml", text)
    with Workspace(project.root) as workspace:
        return step_workflow(workspace, {"phase": "fail", "workflow": "failing"})["error"]


def from_python(project: Any, failure: Failure) -> Any:
    with Workspace(project.root) as workspace, pytest.raises(Fault) as caught:
        call_tool(workspace, failure.tool, failure.arguments)
    return caught.value.to_json()


def steady(error: dict[str, Any]) -> dict[str, Any]:
    """Without the name of the very call, which details may hold."""
    details = {name: value for name, value in error["details"].items() if name != "request_id"}
    return {**error, "details": details}


@pytest.mark.requirement("auditgraph-4", "auditgraph-7", "auditgraph-12", "auditgraph-23", "aura-9", "triads-45")
@pytest.mark.parametrize("failure", TABLE.values(), ids=TABLE)
def test_a_failure_is_told_the_same_wherever_it_happens(
    failure: Failure, project: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if failure.broken:
        failure.broken(project.root)
    for name, value in failure.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project.root)
    found: dict[str, Any] = {"mcp": over_mcp(project, failure)}
    with crowded() if failure.code == "RATE_LIMITED" else nullcontext():
        found["python"] = from_python(project, failure)
        if "phase" not in failure.absent:
            found["phase"] = as_a_phase(project, failure)
    called = ["tools", "call", failure.tool, json.dumps(failure.arguments)]
    for surface, words in (("tools call", called), ("command", failure.words)):
        if surface not in failure.absent:
            assert main([*words, "--json"]) == (2 if failure.code == "INVALID_INPUT" else 1)
            found[surface] = json.loads(capsys.readouterr().out)["error"]
    assert {*found, *failure.absent} == set(SURFACES)
    assert found["python"]["code"] == failure.code
    assert all(found["python"][name] for name in ("message", "help"))
    told = {surface: steady(error) for surface, error in found.items()}
    assert told == dict.fromkeys(told, told["python"])


def test_each_code_has_a_failure_that_yields_it() -> None:
    assert {one.code for one in TABLE.values()} | set(ELSEWHERE) == {code.value for code in Code}


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


def test_the_doctor_reports_its_checks_while_they_run(project: Any) -> None:
    server = project.serve("--toolsets", "admin").shake_hands()
    server.call("doctor", "aurora_doctor", {"only": ["system", "memory"]}, progressToken="watch")
    told = []
    while "id" not in (message := server.receive()):
        if message["method"] == "notifications/progress":
            told.append(message["params"])
    checks = [one for group in message["result"]["structuredContent"]["groups"] for one in group["findings"]]
    assert told
    assert all(one["progressToken"] == "watch" and one["message"] for one in told)
    assert [one["progress"] for one in told] == sorted({one["progress"] for one in told})
    assert told[-1]["progress"] == told[-1]["total"] <= len(checks)


@pytest.mark.requirement("triads-53")
def test_a_tool_that_writes_is_not_listed_when_read_only_and_is_forbidden_all_the_same(project: Any) -> None:
    server = project.serve("--toolsets", "admin,knowledge", "--read-only").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    listed = {tool["name"] for tool in server.answer(1)["result"]["tools"]}
    hidden = {tool.mcp for tool in ToolRegistry().select_mcp(("admin", "knowledge")) if not tool.is_offered_read_only}
    assert "aurora_mem_stats" in listed
    assert hidden
    assert not listed & hidden
    server.call(2, "aurora_mem_index", {})
    assert server.answer(2)["result"]["structuredContent"]["error"]["code"] == "FORBIDDEN"


def test_the_environment_names_toolsets_and_the_option_goes_before_it(project: Any) -> None:
    def families(*options: str) -> set[str]:
        server = project.serve(*options, AURORA_TOOLSETS="graph,runs").shake_hands()
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        by_name = {tool.mcp: tool.family for tool in ToolRegistry().select_mcp(("all",))}
        return {by_name[tool["name"]] for tool in server.answer(1)["result"]["tools"]}

    assert families() == {"core", "graph", "runs"}
    assert families("--toolsets", "agents") == {"core", "agents"}


@pytest.mark.requirement(
    "aura-3", "contextgraph-4", "contextgraph-5", "contextgraph-6", "contextgraph-13", "contextgraph-16"
)
def test_an_alias_is_listed_with_its_tool_and_answers_as_it_does(project: Any) -> None:
    server = project.serve("--toolsets", "graph", AURORA_LOG="debug").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    (listed,) = [one for one in server.answer(1)["result"]["tools"] if one["name"] == "aurora_graph_callers"]
    meta, described = listed["_meta"], listed["description"]
    assert meta["aurora/aliases"] == ["find_callers", "aura_find_callers"]
    told = []
    assert "Also called find_callers(methodName), aura_find_callers(methodName)." in described
    for number, (name, argument) in enumerate((("find_callers", "methodName"), ("aurora_graph_callers", "name")), 2):
        server.call(number, name, {argument: "README.md"})
        told.append(server.answer(number)["result"]["structuredContent"])
    assert told[0] == told[1]
    (line,) = [line for line in server.log.read_text().splitlines() if '"alias"' in line]
    assert json.loads(line).items() >= {"alias": "find_callers", "tool": "graph.callers"}.items()
    server.call(4, "Find_Callers", {"name": "README.md"})
    assert server.answer(4)["result"]["structuredContent"]["error"]["code"] == "NOT_FOUND"


@pytest.mark.requirement("contextgraph-27")
def test_a_call_before_the_handshake_is_refused_and_a_later_one_answers_under_both_names(project: Any) -> None:
    server = project.serve("--toolsets", "all", AURORA_WATCH="0")
    server.send(b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"discover_goals","arguments":{}},"id":1}')
    assert server.answer(1)["error"]["code"] == -32602
    server.shake_hands()
    told = []
    for number, name in enumerate(("discover_goals", "discover_sub_goals", "aurora_mem_goals"), 2):
        server.call(number, name, {})
        told.append(server.answer(number)["result"]["structuredContent"])
    assert told[0] == told[1] == told[2]
    assert "error" not in told[0]


@pytest.mark.requirement("aura-7")
def test_with_all_toolsets_each_tool_is_listed_with_its_schema_and_names_its_aliases(project: Any) -> None:
    server = project.serve("--toolsets", "all").shake_hands()
    server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    listed = {tool["name"]: tool for tool in server.answer(1)["result"]["tools"]}
    tools = ToolRegistry().select_mcp(("all",))
    assert set(listed) == {tool.mcp for tool in tools}
    assert all(tool["inputSchema"]["type"] == "object" for tool in listed.values())
    assert not [name for name in listed if name.startswith("aura_")]
    for tool in tools:
        named = listed[str(tool.mcp)]
        assert tuple(named.get("_meta", {}).get("aurora/aliases", ())) == tuple(tool.alias_names)
        assert all(alias in named["description"] for alias in tool.alias_names)


def test_a_tool_that_is_not_offered_is_told_with_what_would_offer_it(project: Any) -> None:
    server = project.serve("--toolsets", "graph").shake_hands()

    def refused(name: str) -> Any:
        server.call(name, name, {})
        return server.answer(name)["result"]["structuredContent"]["error"]

    assert refused("mem.search")["details"]["suggestion"] == "aurora_search"
    assert refused("aur graph callers")["message"].endswith('did you mean "aurora_graph_callers"?')
    for name in ("aurora_mem_stats", "mem_stats"):
        error = refused(name)
        assert (error["code"], error["message"]) == ("NOT_FOUND", f'the tool "{name}" is not offered here')
        assert "`aur mcp --toolsets admin`" in error["help"]
    assert refused("aurora_serch")["message"].endswith('did you mean "aurora_search"?')
    assert refused("hosts.list")["details"]["suggestion"] is None


def test_a_slip_in_an_arguments_name_is_told_before_what_is_missing_for_it(project: Any) -> None:
    with Workspace(project.root) as workspace, pytest.raises(Fault) as caught:
        call_tool(workspace, "mem.search", {"qurey": "options"})
    assert caught.value.message == 'mem.search: unknown argument "qurey"; did you mean "query"?'
