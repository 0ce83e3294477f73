"""The requests of the documents that Aurora comes from, word for word, at a real server."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from aurora.errors import mark_text
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

QUESTION = "How does click parse the options of a command line?"


class Asked:
    """Server with all toolsets after a handshake of the first era, and calls to it."""

    def __init__(self, project: Any) -> None:
        self.server = project.serve("--toolsets", "all", AURORA_WATCH="0")
        client = {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "copilot", "version": "1"},
        }
        self.welcome = self.request("initialize", client)["result"]
        self.server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: Any) -> Any:
        """Send a request, and return the whole answer."""
        self.server.send({"jsonrpc": "2.0", "id": f"{method} {params}", "method": method, "params": params})
        return self.server.answer(f"{method} {params}")

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool, and return its result; the text of the content is the same as JSON.

        The server may still be warming up, and a check of the memory at that moment says "try again": so it does, once.
        """
        for _ in range(2):
            result = self.request("tools/call", {"name": name, "arguments": arguments})["result"]
            if "error" not in result["structuredContent"] or "ry again" not in result["content"][0]["text"]:
                break
        assert result["isError"] is False, (name, result["content"])
        (content,) = result["content"]
        assert content["type"] == "text"
        assert json.loads(content["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def list_tools(self) -> dict[str, Any]:
        """List the tools by name."""
        return {tool["name"]: tool for tool in self.request("tools/list", {})["result"]["tools"]}


@pytest.fixture
def asked(project: Any) -> Asked:
    return Asked(project)


@pytest.mark.requirement("aura-27", "aura-29", "aura-30")
def test_the_handshake_of_the_first_era_and_a_method_that_does_not_exist(asked: Asked) -> None:
    assert asked.welcome["protocolVersion"] == "2024-11-05"
    assert "tools" in asked.welcome["capabilities"]
    assert {"name", "version"} <= set(asked.welcome["serverInfo"])
    error = asked.request("context/inject", {})["error"]
    assert (error["code"], error["message"]) == (-32601, "Method not found")
    assert len(asked.list_tools()) >= 28


@pytest.mark.requirement("aura-1", "aura-2", "aura-3", "aura-4", "aura-28", "aura-31", "aura-32")
def test_the_code_is_asked_as_aura_asks(asked: Asked) -> None:
    found = asked.call("aura_search_code", query="parse the options of the command line")
    assert 0 < len(found["hits"]) <= 10
    assert any(hit["path"] == "click/parser.py" for hit in found["hits"])
    for hit in found["hits"]:
        assert hit["preview"].startswith("<material>")
        assert 0 < hit["score"] <= 1
    implementations = asked.call("aura_find_implementations", typeName="ParamType")
    assert "click/types.py::Choice" in {link["id"] for link in implementations["links"]}
    callers = asked.call("aura_find_callers", methodName="augment_usage_errors")
    assert {link["id"] for link in callers["links"]} >= {"click/core.py::Context.invoke"}
    members = asked.call("aura_get_type_members", typeName="Context")
    assert "click/core.py::Context.call_on_close" in {member["id"] for member in members["members"]}


@pytest.mark.requirement("aura-5", "aura-6", "aura-33", "aura-34")
def test_stories_are_listed_and_the_current_one_is_shown(asked: Asked) -> None:
    run = asked.call("aurora_query", query=QUESTION)["run"]
    (story,) = asked.call("aura_list_stories")["runs"]
    assert (story["run"], story["question"], story["status"]) == (run, mark_text(QUESTION), "open")
    current = asked.call("aura_get_story_context")
    assert current == asked.call("aura_get_story_context", storyId=run)
    assert current["run"] == run
    assert current["steps"]
    assert asked.call("aura_list_stories", status="ended")["runs"] == []


@pytest.mark.requirement("triads-1", "triads-2", "triads-3", "triads-30", "triads-51")
def test_knowledge_is_asked_as_triads_asks(asked: Asked, project: Any) -> None:
    with Workspace(project.root) as workspace:
        fact = call_tool(workspace, "mem.add", {"text": "The version bump needs the checklist of the release."})["id"]
    found = asked.call("search_knowledge", keywords=["version", "bump", "checklist"])
    assert fact in {hit["id"] for hit in found["hits"]}
    scoped = asked.call("query_knowledge_graph", triad="design", query="checklists")
    # no run of `design` has recorded anything: all knowledge is searched, and it is said
    assert (fact in {hit["id"] for hit in scoped["hits"]}, "design" in scoped["note"]) == (True, True)
    node = asked.call("get_node_details", node_id="click/core.py::Context")
    assert (node["kind"], node["path"], node["symbol"]) == ("class", "click/core.py", "Context")
    assert {"out", "into"} <= set(node)
    assert (project.root / ".aurora/memory.db").is_file()


@pytest.mark.requirement("triads-4", "triads-5", "triads-6", "triads-33")
def test_the_memory_is_checked_and_repaired_as_triads_asks(asked: Asked) -> None:
    checked = asked.call("check_graph_integrity", triad="design")
    assert (checked["ok"], checked["findings"]) == (True, [])
    assert checked["counts"]["nodes"] > 100
    assert asked.call("list_backups", triad="design")["backups"] == []
    made = asked.call("aurora_mem_backup")
    (backup,) = asked.call("list_backups", triad="design")["backups"]
    assert backup["name"] == made["name"]
    assert backup["size_bytes"] > 0
    assert backup["made_at"]
    asked.call("aurora_mem_add", text="The parser is written by hand.")
    repaired = asked.call("repair_graph", triad="design", backup=backup["name"])
    assert (repaired["ok"], repaired["left"], repaired["lost"]) == (True, [], [])
    assert (repaired["restored"], repaired["only_before"]) == (backup["name"], {"records": 1, "runs": 0})
    before, _ = asked.call("list_backups")["backups"]
    assert (before["name"], before["reason"]) == (repaired["backup"], "before-restore")


@pytest.mark.requirement("triads-7", "triads-8", "triads-9", "triads-10", "triads-35")
def test_the_way_is_asked_as_triads_asks(asked: Asked) -> None:
    found = asked.call("suggest_workflow", task_description="Fix bug in router crash")
    best = found["suggestions"][0]
    assert (best["workflow"], best["confidence"] > 0.5) == ("bug-fix", True)
    assert {"reproduce", "fix", "verify"} <= set(best["phases"])
    listed = {one["name"]: one for one in asked.call("list_available_triads")["workflows"]}
    assert all(one["description"] and "agents" in one for one in listed.values())
    run = asked.call("aurora_query", query=QUESTION)["run"]
    status = asked.call("get_routing_status")
    status.pop("note", None)  # on material, once a session
    assert status == asked.call("get_workflow_state")
    assert (status["run"], status["workflow"]) == (run, "soar")
    assert status["phases_completed"] == ["assess"]
    assert status["phases_remaining"]
    assert 0 <= status["confidence"] <= 1


@pytest.mark.requirement("triads-36", "triads-37")
def test_readiness_needs_no_parameter_and_names_what_blocks(asked: Asked, project: Any) -> None:
    person = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (("init", "-q"), ("add", "-A"), (*person, "commit", "-q", "-m", "start")):
        subprocess.run(["git", *words], cwd=project.root, check=True, capture_output=True)
    project.write("click/late.py", "def wait() -> None:\n    pass  # TODO: wait\n")
    found = asked.call("check_deployment_readiness")
    assert found["verdict"] == "NOT_READY"
    assert any("postpone work" in blocker and "click/late.py:2" in blocker for blocker in found["blockers"])
    gates = {gate["name"]: gate for gate in found["gates"]}
    assert (gates["debt"]["found"], gates["tests"]["found"], found["changed"]) == ("1", "0%", 1)


@pytest.mark.requirement("contextgraph-1", "contextgraph-2", "contextgraph-17", "contextgraph-18")
def test_the_requests_of_contextgraph_are_answered(asked: Asked) -> None:
    tools = asked.list_tools()
    assert tools["aurora_mem_goals"]["_meta"]["aurora/aliases"] == ["discover_goals", "discover_sub_goals"]
    consolidation = ["consolidate_memories", "trigger_consolidation"]
    assert tools["aurora_mem_consolidate"]["_meta"]["aurora/aliases"] == consolidation
    assert "aurora/aliases" not in tools["aurora_mem_stats"].get("_meta", {})
    fields = tools["aurora_mem_goals"]["inputSchema"]["properties"]
    assert {name: fields[name]["default"] for name in ("min_confidence", "max_goals", "algorithm")} == {
        "min_confidence": 0.6,
        "max_goals": 5,
        "algorithm": "kmeans",
    }
    assert tools["aurora_mem_consolidate"]["inputSchema"]["properties"]["by"]["default"] == "similarity"
    assert fields["algorithm"]["enum"] == ["kmeans", "hdbscan", "spectral"]
    assert len(asked.call("discover_goals", min_confidence=0.7, max_goals=3)["goals"]) <= 3
    merged = asked.call("consolidate_memories", strategy="similarity")
    assert (merged["by"], merged["dry_run"]) == ("similarity", False)
    assert merged == asked.call("trigger_consolidation", strategy="similarity")
