"""One call runs one phase: responses of a workflow that is not about code."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_workflow_about_tea_runs_to_its_end_without_a_line_of_python(host: Any) -> None:
    first = host("choose", workflow="tea", guests=3)
    assert first["prompt_template"] == "Which tea suits 3 calm guests?"
    assert first["progress"] == "1/3 choose"
    second = host.next(first, answer={"tea": "oolong", "minutes": 4})
    assert second["prompt_template"] == "Brew oolong for 4 minutes, 3 cups. Is it good?"
    third = host.next(second, answer={"good": True})
    assert third["prompt_template"] == "Serve it."
    assert (third["status"], third["next_action"]) == ("complete", "continue")
    end = host.next(third, answer={})
    assert end["guidance"] == "The run has ended. Enjoy."
    assert (end["status"], end["next_action"], end["next_call"]) == ("complete", "end", None)


def test_next_call_names_the_schema_of_the_answer_it_needs(host: Any) -> None:
    first = host("choose", workflow="tea", guests=3)
    assert first["next_call"] == {
        "tool": "aurora_query",
        "arguments": {"phase": "brew", "run": first["run"], "step": 2},
        "needs": {
            "answer": {
                "type": "object",
                "required": ["tea", "minutes"],
                "additionalProperties": False,
                "properties": {
                    "tea": {"type": "string", "minLength": 1},
                    "minutes": {"type": "integer", "minimum": 1, "maximum": 10},
                },
            }
        },
    }


def test_an_alias_runs_its_phase(host: Any) -> None:
    assert host("pick", workflow="tea", guests=1)["phase"] == "choose"


def test_an_optional_input_may_be_given_or_left_out(host: Any) -> None:
    without = host("choose", workflow="tea", guests=1)
    given = host("choose", workflow="tea", guests=1, note="no milk")
    assert "Mind" not in without["prompt_template"]
    assert given["prompt_template"].endswith("Mind: no milk.")


def test_the_decision_names_the_rule_that_fired_and_the_values_of_the_others(host: Any) -> None:
    response = host("serve", workflow="tea", good=False, detail="full")
    lines = [rule.pop("line") for rule in response["metadata"]["decision"]]
    assert lines == sorted(lines)
    assert response["metadata"]["decision"] == [
        {"rule": 1, "then": "end", "fired": False, "when": "inputs.good", "values": {"inputs.good": False}},
        {"rule": 2, "then": "choose", "fired": True},
    ]


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        ({}, "$.guests", "is missing"),
        ({"guests": "three"}, "$.guests", "must be integer, not string"),
        ({"guests": 99}, "$.guests", "must be at most 12, not 99"),
        ({"guests": True}, "$.guests", "must be integer, not boolean"),
        ({"guests": 2, "gests": 2}, "$.gests", 'did you mean "guests"?'),
        ({"guests": 2, "mood": None}, "$.mood", "must be string, not null"),
    ],
)
def test_a_wrong_input_is_refused_by_its_path(host: Any, arguments: dict[str, Any], path: str, words: str) -> None:
    response = host("choose", workflow="tea", **arguments)
    assert response["status"] == "error"
    assert response["error"]["code"] == "INVALID_INPUT"
    (fault,) = response["error"]["details"]["faults"]
    assert fault["path"] == path
    assert words in fault["message"]


def test_every_wrong_input_is_reported_at_once_and_next_call_keeps_the_right_ones(host: Any) -> None:
    response = host("choose", workflow="tea", guests=0, mood=7, note="x")
    assert [fault["path"] for fault in response["error"]["details"]["faults"]] == ["$.guests", "$.mood"]
    assert response["next_call"]["arguments"] == {"phase": "choose", "workflow": "tea", "note": "x"}
    assert set(response["next_call"]["needs"]) == {"guests", "mood"}


def test_an_answer_that_does_not_fit_is_refused_with_the_path_of_each_fault_and_the_run_stays(host: Any) -> None:
    first = host("choose", workflow="tea", guests=3)
    refused = host.next(first, answer={"minutes": 40, "sugar": 2})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert [fault["path"] for fault in refused["error"]["details"]["faults"]] == [
        "$.answer.minutes",
        "$.answer.sugar",
        "$.answer.tea",
    ]
    mended = host.next(refused, answer={"tea": "mint", "minutes": 5})
    assert (mended["status"], mended["run"]) == ("complete", first["run"])


def test_a_missing_answer_is_asked_for_again(host: Any) -> None:
    first = host("choose", workflow="tea", guests=3)
    refused = host.next(first)
    assert refused["error"]["details"]["arguments"] == ["answer"]
    assert refused["next_call"]["needs"] == first["next_call"]["needs"]


def test_an_answer_without_a_prompt_is_refused(host: Any) -> None:
    response = host("choose", workflow="tea", guests=3, answer={"tea": "mint"})
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "answer belongs to a run" in response["error"]["message"]


@pytest.mark.parametrize("phase", ["brw", "end", "Choose", "", "x" * 5000, "phases.choose"])
def test_an_unknown_phase_is_not_found_and_the_known_ones_are_named(host: Any, phase: str) -> None:
    response = host(phase, workflow="tea", guests=3)
    assert response["error"]["code"] in ("NOT_FOUND", "INVALID_INPUT")
    assert response["next_call"]["arguments"]["phase"] in ("choose", "assess")


def test_an_unknown_workflow_is_not_found_with_the_nearest_name(host: Any) -> None:
    response = host("choose", workflow="tee", guests=3)
    assert (response["error"]["code"], response["error"]["help"]) == ("NOT_FOUND", 'Did you mean "tea"?')


@pytest.mark.parametrize("wrong", [{"run": 7}, {"step": "one"}, {"step": 0}, {"workflow": ["tea"]}, {"step": True}])
def test_the_arguments_of_the_call_itself_are_checked_too(host: Any, wrong: dict[str, Any]) -> None:
    response = host("choose", **{"workflow": "tea", "guests": 3, **wrong})
    assert response["error"]["code"] == "INVALID_INPUT"


def test_ten_megabytes_of_input_are_refused_with_a_message(host: Any) -> None:
    response = host("choose", workflow="tea", guests=3, note="x" * 10_000_000)
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "more than 1,000,000 characters" in response["error"]["message"]


def test_an_input_nested_ten_thousand_deep_is_refused_with_a_message(host: Any) -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    response = host("choose", workflow="tea", guests=3, note=deep)
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "nested more than 100 deep" in response["error"]["message"]
    first = host("choose", workflow="tea", guests=3)
    assert "nested more than 100 deep" in host.next(first, answer=deep)["error"]["message"]
