"""Collection of results, wave by wave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    Use = Callable[..., dict[str, Any]]


def planned(use: Use, *subgoals: tuple[str, ...], critical: str = "") -> dict[str, Any]:
    made = [
        {"id": name, "description": f"Do {name}", "depends_on": list(needs), "critical": name == critical}
        for name, *needs in subgoals
    ]
    return use("route", {"subgoals": made})


def result(status: str = "done", output: str = "found it", **more: Any) -> dict[str, Any]:
    return {"status": status, "output": output, **more}


def due(found: dict[str, Any]) -> list[str]:
    return [task["id"] for task in found["tasks"]]


def statuses(found: dict[str, Any]) -> dict[str, str]:
    return {one["id"]: one["status"] for one in found["results"]}


@pytest.mark.requirement("prd-73")
def test_waves_are_due_one_after_the_other(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a", "b"))
    first = use("collect", {"plan": plan})
    assert (due(first), first["done"], first["wave"], first["waves"]) == (["a", "b"], False, 1, 2)
    second = use("collect", {"plan": plan, "so_far": [], "results": [result(), result()]})
    assert (due(second), second["done"], second["wave"]) == (["c"], False, 2)
    third = use("collect", {"plan": plan, "so_far": second["results"], "results": [result(id="c")]})
    assert (due(third), third["done"]) == ([], True)
    assert statuses(third) == {"a": "done", "b": "done", "c": "done"}


def test_results_without_ids_follow_the_order_of_the_due_tasks(use: Use) -> None:
    plan = planned(use, ("a",), ("b",))
    found = use("collect", {"plan": plan, "results": [result(output="of a"), result("failed", "of b")]})
    assert [(one["id"], one["status"], one["output"]) for one in found["results"]] == [
        ("a", "done", "of a"),
        ("b", "failed", "of b"),
    ]


def test_a_task_without_a_result_stays_due(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a"))
    found = use("collect", {"plan": plan, "results": [result(id="a")]})
    assert due(found) == ["b"]
    assert not found["done"]


def test_tasks_that_depend_on_a_failure_are_skipped_and_the_others_continue(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a"), ("d", "c"), ("e", "b"))
    found = use("collect", {"plan": plan, "results": [result("failed", "no such file", id="a"), result(id="b")]})
    assert statuses(found) == {"a": "failed", "b": "done", "c": "skipped", "d": "skipped"}
    assert due(found) == ["e"]
    outputs = {one["id"]: one["output"] for one in found["results"]}
    assert outputs["c"] == 'Not done: it needs "a", which failed.'
    assert outputs["d"] == 'Not done: it needs "c", which was skipped.'


def test_a_failed_or_skipped_critical_task_is_listed(use: Use) -> None:
    plan = planned(use, ("a",), ("b", "a"), critical="b")
    found = use("collect", {"plan": plan, "results": [result("failed", "no", id="a")]})
    assert (found["broken"], found["done"]) == (["b"], True)
    assert use("collect", {"plan": planned(use, ("a",), critical="a"), "results": [result()]})["broken"] == []


def test_repeated_results_change_nothing(use: Use) -> None:
    plan = planned(use, ("a",), ("b", "a"))
    once = use("collect", {"plan": plan, "results": [result(id="a", output="first")]})
    again = use("collect", {"plan": plan, "so_far": once["results"], "results": [result(id="a", output="second")]})
    assert again == once


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result(id="z")], 'there are results for "z"'),
        ([result(id="a"), result(id="a")], 'there are two results for the task "a"'),
        ([result(id="a"), result(id="b"), result()], "result 3 has no task id"),
    ],
)
def test_results_without_a_task_are_rejected_by_name(results: list[dict[str, Any]], expected: str, use: Use) -> None:
    plan = planned(use, ("a",), ("b",))
    with pytest.raises(Fault) as raised:
        use("collect", {"plan": plan, "results": results})
    assert raised.value.code is Code.INVALID_INPUT
    assert expected in raised.value.message


def test_a_wide_wave_comes_in_batches(use: Use) -> None:
    plan = planned(use, *((f"t{at}",) for at in range(8)))
    first = use("collect", {"plan": plan})
    assert due(first) == [f"t{at}" for at in range(6)]
    second = use("collect", {"plan": plan, "results": [result() for _ in range(6)]})
    assert due(second) == ["t6", "t7"]


def test_long_outputs_are_truncated_to_fit_one_response(use: Use) -> None:
    plan = planned(use, *((f"t{at}",) for at in range(6)))
    found = use("collect", {"plan": plan, "results": [result(output="x" * 20_000) for _ in range(6)]})
    assert sum(len(one["output"]) for one in found["results"]) <= 6000
    assert all(one["output"].endswith("[…]") for one in found["results"])
