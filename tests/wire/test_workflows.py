"""Workflows over the wire: all nine phases, a host that only follows, and a server that is killed on the way."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.soar_host import DECOMPOSITION, MOST_STEPS, PHASES, QUESTIONS, brought, follow, step
from tests.wire.schema_filler import least

pytestmark = pytest.mark.anyio

LOOP = """
aurora: 1
name: guess
version: 1.0.0
title: Guess until it fits
start: guess
phases:
  guess:
    inputs:
      tries: { type: integer, default: 3 }
    prompt_template: Guess a number.
    answer: { type: object, required: [number], properties: { number: { type: integer, minimum: 7 } } }
    next_action: judge
  judge:
    inputs:
      number: { from: phases.guess.answer.number, type: integer }
    prompt_template: Is {{ number }} right?
    answer: { type: object, required: [right], properties: { right: { type: boolean } } }
    next_action: decide
  decide:
    inputs:
      right: { from: phases.judge.answer.right, type: boolean }
    prompt_template: Say what you think of it.
    answer: { type: object }
    next_action:
      - { when: "inputs.right", then: end }
      - { then: guess, max: 2, else: end }
"""


def mechanical(response: dict[str, Any]) -> dict[str, Any]:
    """What a host that thinks nothing brings: the least that fits the schema of each need."""
    return {name: least(schema) for name, schema in response["next_call"]["needs"].items()}


@pytest.mark.requirement("prd-1", "prd-4", "prd-29", "prd-53")
async def test_all_nine_phases_run_and_the_answer_is_given(connect_in_era: Any) -> None:
    async with connect_in_era() as client:
        responses = await follow(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]}, brought)
    assert list(dict.fromkeys(response["phase"] for response in responses)) == PHASES
    assert all(response["status"] == "complete" for response in responses)
    assert "the person your answer" in responses[-1]["guidance"]
    assert {response["run"] for response in responses} == {responses[0]["run"]}


@pytest.mark.requirement("prd-21")
async def test_each_of_the_nine_names_is_taken_as_the_phase_of_a_call(project: Any) -> None:
    calls = [{"phase": "assess", "query": QUESTIONS["MEDIUM"]}]
    async with project.client("auto") as client:
        response = await step(client, calls[0])
        while response["next_call"]:
            calls.append({**response["next_call"]["arguments"], **brought(response)})
            response = await step(client, calls[-1])
            assert (response["phase"], response["status"]) == (calls[-1]["phase"], "complete")
        alone = [await step(client, {"phase": name, "query": QUESTIONS["MEDIUM"]}) for name in PHASES]
    assert list(dict.fromkeys(call["phase"] for call in calls)) == PHASES
    assert [response["phase"] for response in alone] == PHASES


async def test_a_whole_medium_run_costs_at_most_9000_tokens_of_responses(project: Any, tokens: Any) -> None:
    async with project.client("auto") as client:
        responses = await follow(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]}, brought)
    assert responses[0]["result"]["complexity"] == "MEDIUM"
    assert sum(tokens(response) for response in responses) <= 9_000


@pytest.mark.parametrize("complexity", QUESTIONS)
async def test_a_host_that_only_follows_reaches_the_end(connect: Any, complexity: str) -> None:
    async with connect() as client:
        responses = await follow(client, {"phase": "assess", "query": QUESTIONS[complexity]}, mechanical)
    assert responses[0]["result"]["complexity"] == complexity
    assert all(response["status"] == "complete" for response in responses)


@pytest.mark.requirement("prd-5")
async def test_a_simple_question_exits_early_after_two_calls(connect: Any) -> None:
    async with connect() as client:
        responses = await follow(client, {"phase": "assess", "query": QUESTIONS["SIMPLE"]}, mechanical)
    assert [response["phase"] for response in responses] == ["assess", "retrieve"]
    assert responses[0]["next_action"] == "retrieve_and_respond"
    assert responses[0]["early_exit"] is True
    assert responses[1]["result"]["evidence"][0]["text"]


async def test_the_same_host_reaches_the_end_of_a_workflow_about_something_else(connect: Any, project: Any) -> None:
    project.write(".aurora/workflows/guess.yaml", LOOP)
    async with connect() as client:
        responses = await follow(client, {"workflow": "guess", "phase": "guess"}, mechanical)
    assert [response["phase"] for response in responses] == [*["guess", "judge", "decide"] * 3, "decide"]


SHIPPED: dict[str, dict[str, Any]] = {
    "bug-fix": {"query": "Option defaults are lost when a command is invoked twice"},
    "code-review": {"files": ["click/core.py", "click/parser.py"]},
    "design": {"query": "Where should plug-ins of a command be looked for?"},
    "feature": {"query": "Let a command say since which version it exists"},
}
"""How each of the other shipped workflows is begun."""


@pytest.mark.parametrize("workflow", SHIPPED)
async def test_a_host_that_only_follows_reaches_the_end_of_every_shipped_workflow(connect: Any, workflow: str) -> None:
    async with connect() as client:
        responses = await follow(client, {"workflow": workflow, **SHIPPED[workflow]}, mechanical)
    assert all(response["status"] == "complete" for response in responses), responses[-1].get("error")
    assert len({response["run"] for response in responses}) == 1


@pytest.mark.requirement("triads-29")
@pytest.mark.parametrize("workflow", ["code-review", "design"])
async def test_no_run_is_needed_by_a_host_that_only_follows(connect: Any, workflow: str) -> None:
    async with connect("--read-only") as client:
        responses = await follow(client, {"workflow": workflow, **SHIPPED[workflow]}, mechanical)
    assert all(response["status"] == "complete" for response in responses)
    assert {response["run"] for response in responses} == {None}


async def test_a_run_goes_on_after_the_server_was_killed_between_two_phases(project: Any) -> None:
    first: dict[str, Any] = {"phase": "assess", "query": QUESTIONS["MEDIUM"]}
    phases, call, needs = [], first, {}
    for _ in range(MOST_STEPS):
        server = project.serve().shake_hands()
        server.call(1, "aurora_query", {**call, **needs})
        response = server.answer(1)["result"]["structuredContent"]
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(60)
        assert response["status"] == "complete", response
        phases.append(response["phase"])
        if response["next_call"] is None:
            break
        call, needs = response["next_call"]["arguments"], brought(response)
    assert list(dict.fromkeys(phases)) == PHASES
    assert "the person your answer" in response["guidance"]


@pytest.mark.requirement("triads-42")
async def test_a_call_out_of_turn_is_a_conflict_that_names_what_may_come(connect: Any) -> None:
    async with connect() as client:
        begun = await step(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]})
        early = await step(client, {"phase": "synthesize", "run": begun["run"]})
        assert early["error"]["code"] == "CONFLICT"
        assert "retrieve" in early["error"]["message"] + early["error"]["help"]
        after = await step(client, early["next_call"]["arguments"] if early["next_call"] else begun["next_call"])
    assert after["phase"] == "retrieve"
    assert after["status"] == "complete"


async def test_the_same_call_twice_gives_the_same_answer(connect: Any) -> None:
    async with connect() as client:
        begun = await step(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]})
        once = await step(client, begun["next_call"]["arguments"])
        twice = await step(client, begun["next_call"]["arguments"])
    for response in (once, twice):
        response["metadata"].pop("duration_ms")
    assert once == twice


@pytest.mark.requirement("prd-61")
async def test_a_phase_in_the_middle_works_without_a_run_when_its_inputs_are_given(connect: Any) -> None:
    async with connect() as client:
        verified = await step(
            client, {"phase": "verify", "query": QUESTIONS["MEDIUM"], "complexity": "MEDIUM", **DECOMPOSITION}
        )
    assert verified["status"] == "complete"
    assert verified["result"]["verdict"] in {"PASS", "RETRY", "FAIL"}


async def test_a_wrong_answer_is_told_by_the_path_of_each_fault_and_can_be_mended(connect: Any) -> None:
    async with connect() as client:
        response = await step(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]})
        while response["phase"] != "decompose":
            response = await step(client, response["next_call"]["arguments"])
        wrong = {"goal": 5, "subgoals": [{"id": "s1"}]}
        refused = await step(client, {**response["next_call"]["arguments"], "answer": wrong})
        assert refused["error"]["code"] == "INVALID_INPUT"
        paths = json.dumps(refused["error"]["details"])
        assert "goal" in paths
        assert "subgoals[0]" in paths
        mended = await step(client, {**refused["next_call"]["arguments"], "answer": DECOMPOSITION})
    assert mended["phase"] == "verify"
    assert mended["status"] == "complete"


@pytest.mark.requirement("prd-21")
async def test_a_wrong_call_of_a_phase_has_its_code(connect: Any) -> None:
    expected = [
        ({"phase": "asses", "query": "x"}, "NOT_FOUND"),
        ({"phase": "assess", "workflow": "sour", "query": "x"}, "NOT_FOUND"),
        ({"phase": "assess"}, "INVALID_INPUT"),
        ({"phase": "assess", "query": 5}, "INVALID_INPUT"),
        ({"phase": "assess", "query": "x", "querry": "y"}, "INVALID_INPUT"),
        ({"phase": "retrieve", "run": "nope"}, "NOT_FOUND"),
        ({"phase": ["assess"]}, "INVALID_INPUT"),
    ]
    async with connect() as client:
        results = [await client.call_tool("aurora_query", arguments) for arguments, _ in expected]
    assert all(result.is_error for result in results)
    assert [result.structured_content["error"]["code"] for result in results] == [code for _, code in expected]
