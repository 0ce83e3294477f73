"""SOAR in a small real project: all responses to a question of each complexity."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from aurora.interpreter import to_compact_json
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
ANSWERS: dict[str, Any] = YAML(typ="safe").load((HERE / "soar_answers.yaml").read_text(encoding="utf-8"))
LONGEST_WALK = 20
NETWORK_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"}
WATCHED: list[list[str]] = []
"""Lists that receive what the interpreter reports of the network while a test watches."""


def _note_network(event: str, _: Any) -> None:
    if WATCHED and event in NETWORK_EVENTS:
        WATCHED[-1].append(event)


@pytest.fixture
def network() -> Iterator[list[str]]:
    """Watch the network; a hook of the interpreter cannot be removed, so that it does nothing between tests."""
    sys.addaudithook(_note_network)
    seen: list[str] = []
    WATCHED.append(seen)
    yield seen
    WATCHED.remove(seen)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """Open the indexed project."""
    shutil.copytree(HERE / "project", tmp_path / "shop")
    with Workspace(tmp_path / "shop") as workspace:
        workspace.memory.index(workspace.root)
        yield workspace


def _cited(shop: Workspace, value: Any) -> Any:
    """Replace each `{chunk PATH SYMBOL}` in the value by the chunk's id."""

    def identify(match: re.Match[str]) -> str:
        path, symbol = match.group(1), match.group(2)
        hits = shop.memory.search(symbol, limit=50, types=("code",)).hits
        return next(hit.chunk.id for hit in hits if (hit.chunk.path, hit.chunk.symbol) == (path, symbol))

    text = re.sub(r"\{chunk (\S+) ([^}\s]+)\}", identify, json.dumps(value))
    return json.loads(text)


def _brought(shop: Workspace, answers: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Return the assistant's answer to this response."""
    if "prompt_template" not in response:
        return {}
    if response["phase"] == "collect":
        tasks = [re.split(r"[ :]", prompt)[1] for prompt in response["prompt_template"]]
        return {"answer": [{"id": task, **_cited(shop, answers["tasks"][task])} for task in tasks]}
    return {"answer": _cited(shop, answers[response["phase"]])}


def walk(shop: Workspace, answers: dict[str, Any], detail: str = "brief") -> list[dict[str, Any]]:
    """Return the responses of the whole run."""
    responses = [step_workflow(shop, {"phase": "assess", "query": answers["query"], "detail": detail})]
    while responses[-1]["next_call"] and len(responses) < LONGEST_WALK:
        arguments = responses[-1]["next_call"]["arguments"]
        brought = _brought(shop, answers, responses[-1])
        responses.append(step_workflow(shop, {**arguments, **brought, "detail": detail}))
    return responses


def _scrubbed(response: dict[str, Any]) -> Any:
    text = to_compact_json(response)
    if response["run"]:
        text = text.replace(response["run"], "RUN")
    data = json.loads(text)
    assert data["metadata"]["duration_ms"] > 0
    data["metadata"]["duration_ms"] = 0
    return data


@pytest.mark.requirement("prd-7", "prd-22", "prd-23", "prd-26", "prd-28", "prd-51", "prd-59", "prd-78")
@pytest.mark.parametrize("level", ["SIMPLE", "MEDIUM", "COMPLEX", "CRITICAL"])
def test_each_response_is_as_recorded(shop: Workspace, level: str, snapshot: Any) -> None:
    responses = walk(shop, ANSWERS[level])
    assert responses[0]["result"]["complexity"] == level
    assert responses[-1]["next_action"] == "end"
    for number, response in enumerate(responses, 1):
        assert response["status"] == "complete", response.get("error")
        assert _scrubbed(response) == snapshot(name=f"{level}-{number:02}-{response['phase']}")


@pytest.mark.requirement("prd-1", "prd-29")
def test_no_phase_reaches_for_the_network(shop: Workspace, network: list[str]) -> None:
    socket.getaddrinfo("127.0.0.1", 9)
    assert network == ["socket.getaddrinfo"], "the watch works"
    network.clear()
    for level in ("SIMPLE", "COMPLEX"):
        assert walk(shop, ANSWERS[level])[-1]["next_action"] == "end"
    assert network == []


@pytest.mark.requirement("prd-24")
def test_a_simple_question_is_answered_after_two_phases(shop: Workspace) -> None:
    assess, retrieve = walk(shop, ANSWERS["SIMPLE"])
    assert (assess["next_action"], assess["early_exit"]) == ("retrieve_and_respond", True)
    assert retrieve["result"]["evidence"][0]["symbol"] == "retry_delay"
    assert (retrieve["next_action"], retrieve["next_call"]) == ("end", None)


@pytest.mark.requirement("prd-6", "prd-25", "prd-60")
@pytest.mark.parametrize("level", ["MEDIUM", "COMPLEX", "CRITICAL"])
def test_every_other_question_goes_through_all_nine_phases(shop: Workspace, level: str) -> None:
    responses = walk(shop, ANSWERS[level])
    phases = list(dict.fromkeys(response["phase"] for response in responses))
    assert phases == list(shop.workflows.load("soar").workflow.phases)
    assert not any("passed" in response["metadata"] for response in responses), "one phase a call"
    for response, after in itertools.pairwise(responses):
        answers_it = {"continue"} if after["phase"] == response["phase"] else set()
        assert response["next_action"] in {after["phase"], *answers_it}


@pytest.mark.requirement("prd-80", "prd-81")
def test_the_next_action_is_a_phase_the_guidance_a_sentence_and_three_phases_have_a_prompt(shop: Workspace) -> None:
    responses = walk(shop, ANSWERS["COMPLEX"])
    phases = {*shop.workflows.load("soar").workflow.phases, "end"}
    assert all(response["next_action"] in phases for response in responses)
    assert all(" " in response["guidance"] and "." in response["guidance"] for response in responses)
    prompted = {response["phase"] for response in responses if "prompt_template" in response}
    assert prompted == {"decompose", "collect", "synthesize"}
    (verified,) = (response for response in responses if response["phase"] == "verify")
    assert verified["result"]["verdict"] == "PASS"


def test_tasks_that_depend_on_a_failed_one_are_skipped(shop: Workspace) -> None:
    responses = walk(shop, ANSWERS["COMPLEX"], "full")
    collected = [response for response in responses if response["phase"] == "collect"][-1]["result"]
    statuses = {result["id"]: result["status"] for result in collected["results"]}
    assert statuses == {"read": "done", "expire": "failed", "tests": "skipped"}
    assert collected["broken"] == ["expire"]


def test_an_unknown_citation_is_rejected_by_name_and_can_be_corrected(shop: Workspace) -> None:
    answers = {**ANSWERS["MEDIUM"]}
    responses = walk(shop, answers)
    synthesized = next(response for response in responses if response["phase"] == "synthesize")
    fresh = step_workflow(shop, {"phase": "assess", "query": answers["query"]})
    while fresh["phase"] != "synthesize":
        fresh = step_workflow(shop, {**fresh["next_call"]["arguments"], **_brought(shop, answers, fresh)})
    wrong = {"answer": "It does.", "citations": ["code:000000000000"], "confidence": 0.9}
    refused = step_workflow(shop, {**fresh["next_call"]["arguments"], "answer": wrong})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert "code:000000000000" in refused["error"]["message"]
    assert refused["next_call"]["needs"] == synthesized["next_call"]["needs"]
    mended = step_workflow(shop, {**refused["next_call"]["arguments"], "answer": {**wrong, "citations": []}})
    assert (mended["phase"], mended["status"]) == ("record", "complete")


@pytest.mark.requirement("prd-61", "prd-78")
@pytest.mark.parametrize("name", ["chunks", "context"])
def test_the_pointers_of_retrieve_can_be_handed_to_decompose(shop: Workspace, name: str) -> None:
    query = ANSWERS["MEDIUM"]["query"]
    retrieved = step_workflow(shop, {"phase": "retrieve", "query": query})
    chunks = retrieved["result"]["chunks"]
    assert {"id", "path", "lines", "symbol", "score"} <= set(chunks[0])
    assert not any("preview" in chunk for chunk in chunks)
    asked = step_workflow(shop, {"phase": "decompose", "query": query, name: chunks})
    assert f"{chunks[0]['id']} shop/payments.py:" in asked["prompt_template"]
    alone = step_workflow(shop, {"phase": "decompose", "query": query})
    assert "No chunks were handed over, so memory was not asked" in alone["prompt_template"]
    assert "Memory contains nothing" not in alone["prompt_template"]


def test_a_weak_match_is_said_and_its_nearest_are_shown(shop: Workspace) -> None:
    query = "Where does the shop compute the weather forecast for horses?"
    found = step_workflow(shop, {"phase": "retrieve", "query": query})["result"]
    assert "matches this query well; these are the nearest." in found["note"]
    assert found["chunks"]


@pytest.mark.requirement("prd-74")
def test_a_similar_question_finds_a_recorded_pattern(shop: Workspace) -> None:
    recorded = next(r for r in walk(shop, ANSWERS["MEDIUM"]) if r["phase"] == "record")["result"]
    again = next(r for r in walk(shop, ANSWERS["MEDIUM"]) if r["phase"] == "record")["result"]
    assert recorded["kind"] == "pattern"
    assert (again["id"], shop.memory.stats().chunks["reas"]) == (recorded["id"], 1)
    first = step_workflow(shop, {"phase": "assess", "query": "How does charge_card retry when the gateway fails?"})
    retrieved = step_workflow(shop, {**first["next_call"]["arguments"], "detail": "full"})
    assert recorded["id"] in [chunk["id"] for chunk in retrieved["result"]["chunks"]]


def test_a_decomposition_that_does_not_improve_ends_with_a_next_step(shop: Workspace) -> None:
    vague = {"id": "a", "description": "Look at the failing gateway.", "depends_on": []}
    poor = {"goal": "Something.", "subgoals": [vague]}
    response = step_workflow(shop, {"phase": "assess", "query": ANSWERS["MEDIUM"]["query"]})
    phases = []
    while response["next_call"] and len(phases) < LONGEST_WALK:
        phases.append(response["phase"])
        brought = {"answer": poor} if response["phase"] == "decompose" else {}
        response = step_workflow(shop, {**response["next_call"]["arguments"], **brought})
    assert phases.count("decompose") == 3
    assert response["phase"] == "respond"
    assert response["status"] == "complete"
    assert "narrower question" in response["result"]["text"]


VAGUE = {"id": "a", "description": "Look at the failing gateway.", "depends_on": []}
POOR = {"goal": "Something.", "subgoals": [VAGUE]}
OFF_TOPIC = {"goal": "Cook.", "subgoals": [{"id": "a", "description": "Bake the bread.", "depends_on": []}]}


def _check_recorded(responses: list[dict[str, Any]], snapshot: Any) -> None:
    for number, response in enumerate(responses, 1):
        assert _scrubbed(response) == snapshot(name=f"{number:02}-{response['phase']}")


@pytest.mark.parametrize(("verdict", "answer"), [("RETRY", POOR), ("FAIL", OFF_TOPIC)], ids=["RETRY", "FAIL"])
def test_each_response_to_a_bad_decomposition_is_as_recorded(
    shop: Workspace, verdict: str, answer: dict[str, Any], snapshot: Any
) -> None:
    responses = walk(shop, {**ANSWERS["MEDIUM"], "decompose": answer})
    verdicts = [response["result"]["verdict"] for response in responses if response["phase"] == "verify"]
    assert set(verdicts) == {verdict}
    assert responses[-1]["phase"] == "respond"
    _check_recorded(responses, snapshot)


@pytest.mark.parametrize("level", ["SIMPLE", "MEDIUM"])
def test_each_response_over_an_empty_memory_is_as_recorded(tmp_path: Path, level: str, snapshot: Any) -> None:
    shutil.copytree(HERE / "project", tmp_path / "shop")
    without_chunks = json.loads(re.sub(r'"\{chunk [^}]*\}"(, )?', "", json.dumps(ANSWERS[level])))
    with Workspace(tmp_path / "shop") as workspace:
        responses = walk(workspace, without_chunks)
    assert responses[-1]["next_action"] == "end"
    _check_recorded(responses, snapshot)


@pytest.mark.requirement("prd-60")
def test_each_response_in_few_calls_is_as_recorded(shop: Workspace, snapshot: Any) -> None:
    responses = [step_workflow(shop, {"workflow": "soar-fast", "query": ANSWERS["MEDIUM"]["query"]})]
    while responses[-1]["next_call"] and len(responses) < LONGEST_WALK:
        brought = _brought(shop, ANSWERS["MEDIUM"], responses[-1])
        responses.append(step_workflow(shop, {**responses[-1]["next_call"]["arguments"], **brought}))
    passed = {step.split(":")[0] for response in responses for step in response["metadata"].get("passed", ())}
    assert passed | {response["phase"] for response in responses} == set(shop.workflows.load("soar").workflow.phases)
    _check_recorded(responses, snapshot)


DESCRIPTION = "Knows card payments and gateways. " * 6
PAST = "The gateway is asked again after a delay. " * 12


@pytest.fixture
def full_shop(shop: Workspace) -> Workspace:
    """Open the project with a past answer, and agents with long descriptions."""
    for name in ("payments-expert", "gateway-tester"):
        path = shop.root / ".claude" / "agents" / f"{name}.md"
        path.write_text(f"---\nname: {name}\ndescription: {DESCRIPTION}{name}\n---\nWork.\n", encoding="utf-8")
    subject = "How does charge_card retry a gateway?"
    shop.memory.remember(type="reas", kind="pattern", symbol=subject, text=f"{subject} {PAST}", metadata={})
    return shop


def _walk_full(shop: Workspace, verbosity: str) -> list[dict[str, Any]]:
    """Walk with all fields of the results; one agent is left to the routing, and one does not exist."""
    answers = json.loads(json.dumps(ANSWERS["MEDIUM"]))
    for subgoal in answers["decompose"]["subgoals"]:
        subgoal["agent"] = None if subgoal["id"] == "loop" else "nobody"
    responses = [step_workflow(shop, {"phase": "assess", "query": answers["query"], "detail": "full"})]
    while responses[-1]["next_call"]:
        arguments = {**responses[-1]["next_call"]["arguments"], "detail": "full"}
        said = {"verbosity": verbosity} if arguments["phase"] == "respond" else {}
        responses.append(step_workflow(shop, {**arguments, **said, **_brought(shop, answers, responses[-1])}))
    return responses


def _scrub_full(response: dict[str, Any]) -> Any:
    """Remove what differs from run to run, and the lines of the rules, which move with every edit of the file."""
    data = _scrubbed(response)
    data["metadata"].pop("request_id", None)
    for entry in data["metadata"].get("decision", ()):
        entry.pop("line", None)
    return data


@pytest.mark.requirement("prd-51")
def test_each_response_in_full_with_past_answers_is_as_recorded(full_shop: Workspace, snapshot: Any) -> None:
    responses = _walk_full(full_shop, "verbose")
    assert PAST[:40] in responses[2]["prompt_template"]
    for number, response in enumerate(responses, 1):
        assert _scrub_full(response) == snapshot(name=f"{number:02}-{response['phase']}")


def test_the_response_as_json_is_as_recorded(shop: Workspace, snapshot: Any) -> None:
    ended = _walk_full(shop, "json")[-1]
    assert ended["result"]["document"]["answer"]
    assert _scrub_full(ended) == snapshot(name="respond-json")


GERMAN = "Wie wiederholt charge_card einen Auftrag, und was unterschreibt open_session?"
GERMAN_SUBGOALS = [
    {"id": "a", "description": "Lies in charge_card, wann wiederholt wird", "where": ["charge_card"]},
    {"id": "b", "description": "Suche danach, was open_session unterschreibt", "where": ["open_session"]},
]
THINGS = (
    *("gateway", "retry", "delay", "token", "nonce", "session", "basket"),
    *("order", "charge", "receipt", "currency", "customer", "page"),
)
MANY_PARTS = ", ".join(f"explain what the {thing} does" for thing in THINGS)
"""More parts than are looked at one by one."""
TWO_PARTS = "How does charge_card retry a failing gateway, and which token does a session get?"


@pytest.mark.parametrize(
    ("phase", "inputs"),
    [
        ("assess", {"query": "Add a limit to retry_delay, and explain how charge_card and open_session use it"}),
        ("retrieve", {"query": "customers cancel delivery of a basket"}),
        ("verify", {"query": TWO_PARTS, "subgoals": [VAGUE]}),
        ("verify", {"query": TWO_PARTS, "subgoals": [{"id": "a", "description": "Find where the gateway is called"}]}),
        ("verify", {"query": MANY_PARTS, "subgoals": [{"id": "a", "description": f"Explain {' '.join(THINGS[:11])}"}]}),
        ("verify", {"query": GERMAN, "subgoals": GERMAN_SUBGOALS}),
        ("route", {"subgoals": [{"id": "a", "description": "Describe card payments for new developers in Berlin"}]}),
    ],
)
def test_a_result_near_a_threshold_is_as_recorded(
    full_shop: Workspace, phase: str, inputs: dict[str, Any], snapshot: Any
) -> None:
    response = step_workflow(full_shop, {"phase": phase, **inputs, "detail": "full"})
    assert response["status"] == "complete"
    assert _scrub_full(response) == snapshot


@pytest.mark.requirement("prd-51")
def test_each_refusal_is_as_recorded(shop: Workspace, snapshot: Any) -> None:
    query = ANSWERS["MEDIUM"]["query"]
    first = step_workflow(shop, {"phase": "assess", "query": query})
    early = step_workflow(shop, {"phase": "collect", "run": first["run"]})
    unknown = step_workflow(shop, {"phase": "asess", "query": query})
    asked = step_workflow(shop, step_workflow(shop, first["next_call"]["arguments"])["next_call"]["arguments"])
    wrong = step_workflow(shop, {**asked["next_call"]["arguments"], "answer": {"goal": "Know it."}})
    for name, response in (("early-phase", early), ("unknown-phase", unknown), ("wrong-answer", wrong)):
        assert response["status"] == "error"
        assert _scrubbed(response) == snapshot(name=name)
