"""Results come in, and the next tasks go out, until nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault

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


def test_waves_come_one_after_the_other_until_all_is_done(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a", "b"))
    first = use("collect", {"plan": plan})
    assert (due(first), first["done"], first["wave"], first["waves"]) == (["a", "b"], False, 1, 2)
    second = use("collect", {"plan": plan, "so_far": [], "results": [result(), result()]})
    assert (due(second), second["done"], second["wave"]) == (["c"], False, 2)
    third = use("collect", {"plan": plan, "so_far": second["results"], "results": [result(id="c")]})
    assert (due(third), third["done"]) == ([], True)
    assert statuses(third) == {"a": "done", "b": "done", "c": "done"}


def test_results_without_ids_belong_to_the_due_tasks_in_order(use: Use) -> None:
    plan = planned(use, ("a",), ("b",))
    found = use("collect", {"plan": plan, "results": [result(output="of a"), result("failed", "of b")]})
    assert [(one["id"], one["status"], one["output"]) for one in found["results"]] == [
        ("a", "done", "of a"),
        ("b", "failed", "of b"),
    ]


def test_a_result_that_is_missing_leaves_its_task_due(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a"))
    found = use("collect", {"plan": plan, "results": [result(id="a")]})
    assert due(found) == ["b"]
    assert not found["done"]


def test_what_depends_on_a_failure_is_skipped_to_the_last_and_the_rest_goes_on(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a"), ("d", "c"), ("e", "b"))
    found = use("collect", {"plan": plan, "results": [result("failed", "no such file", id="a"), result(id="b")]})
    assert statuses(found) == {"a": "failed", "b": "done", "c": "skipped", "d": "skipped"}
    assert due(found) == ["e"]
    outputs = {one["id"]: one["output"] for one in found["results"]}
    assert outputs["c"] == 'Not done: it needs "a", which failed.'
    assert outputs["d"] == 'Not done: it needs "c", which was skipped.'


def test_a_critical_task_that_failed_or_was_skipped_is_noted(use: Use) -> None:
    plan = planned(use, ("a",), ("b", "a"), critical="b")
    found = use("collect", {"plan": plan, "results": [result("failed", "no", id="a")]})
    assert (found["broken"], found["done"]) == (["b"], True)
    assert use("collect", {"plan": planned(use, ("a",), critical="a"), "results": [result()]})["broken"] == []


def test_the_same_results_twice_change_nothing(use: Use) -> None:
    plan = planned(use, ("a",), ("b", "a"))
    once = use("collect", {"plan": plan, "results": [result(id="a", output="first")]})
    again = use("collect", {"plan": plan, "so_far": once["results"], "results": [result(id="a", output="second")]})
    assert again == once


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([result(id="z")], 'there are results for "z"'),
        ([result(id="a"), result(id="a")], 'there are two results for the task "a"'),
        ([result(id="a"), result(id="b"), result()], "result 3 has no task id"),
    ],
)
def test_results_that_belong_nowhere_are_refused_by_name(results: list[dict[str, Any]], said: str, use: Use) -> None:
    plan = planned(use, ("a",), ("b",))
    with pytest.raises(Fault) as raised:
        use("collect", {"plan": plan, "results": results})
    assert raised.value.code is Code.INVALID_INPUT
    assert said in raised.value.message


def test_a_wide_wave_comes_in_batches(use: Use) -> None:
    plan = planned(use, *((f"t{at}",) for at in range(8)))
    first = use("collect", {"plan": plan})
    assert due(first) == [f"t{at}" for at in range(6)]
    second = use("collect", {"plan": plan, "results": [result() for _ in range(6)]})
    assert due(second) == ["t6", "t7"]


def test_long_outputs_are_cut_so_that_a_response_holds_them_all(use: Use) -> None:
    plan = planned(use, *((f"t{at}",) for at in range(6)))
    found = use("collect", {"plan": plan, "results": [result(output="x" * 20_000) for _ in range(6)]})
    assert sum(len(one["output"]) for one in found["results"]) <= 6000
    assert all(one["output"].endswith("[…]") for one in found["results"])
