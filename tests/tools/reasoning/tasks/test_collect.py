"""Collection of results, wave by wave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]


def planned(use: Use, *subgoals: tuple[str, ...], critical: str = "") -> dict[str, Any]:
    made = [
        {"id": name, "description": f"Do {name}", "depends_on": list(needs), "critical": name == critical}
        for name, *needs in subgoals
    ]
    return use("route", {"subgoals": made})


@pytest.fixture
def agent(root: Path) -> None:
    """An agent of the project: with one, tasks come in waves."""
    folder = root / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "tester.md").write_text("---\nname: tester\ndescription: Tests\n---\n", encoding="utf-8")


def result(status: str = "done", output: str = "found it", **more: Any) -> dict[str, Any]:
    return {"status": status, "output": output, **more}


def due(found: dict[str, Any]) -> list[str]:
    return [task["id"] for task in found["tasks"]]


def statuses(found: dict[str, Any]) -> dict[str, str]:
    return {one["id"]: one["status"] for one in found["results"]}


def test_without_agents_all_tasks_are_due_at_once(use: Use) -> None:
    plan = planned(use, ("a",), ("b",), ("c", "a", "b"))
    found = use("collect", {"plan": plan})
    assert (due(found), found["waves"]) == (["a", "b", "c"], 1)
    assert use("collect", {"plan": plan, "results": [result(), result(), result()]})["done"]


def test_every_place_of_a_task_is_shown_or_said_to_be_missing(indexed: Workspace, use: Use) -> None:
    assert indexed.memory.stats().files
    where = ["OptionParser.convert", "BadOption", "OptionParsr"]
    plan = use("route", {"subgoals": [{"id": "a", "description": "See the guide", "where": where}]})
    (task,) = use("collect", {"plan": plan})["tasks"]
    texts = "\n".join(one["text"] for one in task["evidence"])
    assert "def convert(self, value):" in texts
    assert "class BadOption(Exception):" in texts
    assert task["places"][2] == {"name": "OptionParsr", "nearest": "OptionParser", "status": "missing"}


def test_a_chunk_that_the_run_has_shown_is_named_and_not_sent_again(indexed: Workspace, use: Use) -> None:
    assert indexed.memory.stats().files
    subgoals = [{"id": name, "description": "Read it", "where": ["OptionParser.convert"]} for name in ("a", "b")]
    plan = use("route", {"subgoals": subgoals})
    first, second = use("collect", {"plan": plan})["tasks"]
    shown = first["evidence"][0]
    assert [one for one in second["evidence"] if one["id"] == shown["id"]] == []
    assert f"{shown['path']}:{shown['lines']} {shown['symbol']}" in second["again"]
    (again, _) = use("collect", {"plan": plan, "shown": [shown["id"]]})["tasks"]
    assert shown["id"] not in [one["id"] for one in again["evidence"]]


@pytest.mark.requirement("prd-73")
@pytest.mark.usefixtures("agent")
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


@pytest.mark.usefixtures("agent")
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
    plan = planned(use, *((f"t{at}",) for at in range(10)))
    first = use("collect", {"plan": plan})
    assert due(first) == [f"t{at}" for at in range(8)]
    second = use("collect", {"plan": plan, "results": [result() for _ in range(8)]})
    assert due(second) == ["t8", "t9"]


def test_long_outputs_are_truncated_to_fit_one_response(use: Use) -> None:
    plan = planned(use, *((f"t{at}",) for at in range(6)))
    found = use("collect", {"plan": plan, "results": [result(output="x" * 20_000) for _ in range(6)]})
    assert sum(len(one["output"]) for one in found["results"]) <= 6000
    assert all(one["output"].endswith("[…]") for one in found["results"])
