"""Collection of reviews: due files, findings, and invalid reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Collect = Callable[..., dict[str, Any]]

SETTINGS = {"batch": 2, "serious": ["blocker", "major"]}


def files(*paths: str) -> list[dict[str, Any]]:
    return [{"path": path, "status": "changed", "added": 1, "removed": 0} for path in paths]


def remark(severity: str, line: int = 1) -> dict[str, Any]:
    return {"line": line, "severity": severity, "title": f"a {severity}", "detail": ""}


@pytest.fixture
def collect(workspace: Workspace) -> Collect:
    def call(params: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
        return call_tool(workspace, "review.collect", given, params=params or SETTINGS)

    return call


def due(output: dict[str, Any]) -> list[str]:
    return [one["path"] for one in output["due"]]


def test_the_first_files_are_due_before_any_review(collect: Collect) -> None:
    output = collect(files=files("a", "b", "c"))
    assert (due(output), output["reviewed"], output["findings"], output["total"], output["done"]) == (
        ["a", "b"],
        [],
        [],
        3,
        False,
    )


def test_reviews_without_a_path_follow_the_order_of_the_due_files(collect: Collect) -> None:
    output = collect(
        files=files("a", "b", "c"), results=[{"findings": [remark("minor")]}, {"findings": [remark("note")]}]
    )
    assert [(one["path"], one["severity"]) for one in output["findings"]] == [("a", "minor"), ("b", "note")]
    assert (due(output), output["reviewed"]) == (["c"], ["a", "b"])


def test_reviews_with_a_path_can_come_in_any_order_and_in_parts(collect: Collect) -> None:
    output = collect(files=files("a", "b", "c"), results=[{"path": "b", "findings": []}])
    assert (due(output), output["reviewed"], output["done"]) == (["a", "c"], ["b"], False)


def test_the_most_severe_finding_is_first_and_keeps_its_id(collect: Collect) -> None:
    first = collect(
        files=files("a", "b"), results=[{"findings": [remark("note"), remark("major", 9), remark("major", 3)]}]
    )
    assert [(one["id"], one["line"]) for one in first["findings"]] == [("f3", 3), ("f2", 9), ("f1", 1)]
    second = collect(
        files=files("a", "b"),
        so_far=first["findings"],
        reviewed=first["reviewed"],
        results=[{"path": "b", "findings": [remark("blocker")]}],
    )
    assert [one["id"] for one in second["findings"]] == ["f4", "f3", "f2", "f1"]
    assert (second["serious"], second["done"], due(second)) == (3, True, [])


def test_the_serious_severities_are_a_setting(collect: Collect) -> None:
    output = collect({"batch": 1, "serious": ["note"]}, files=files("a"), results=[{"findings": [remark("blocker")]}])
    assert output["serious"] == 0


def test_an_empty_review_is_done_at_once(collect: Collect) -> None:
    assert collect(files=[])["done"] is True


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([{"path": "z", "findings": []}], 'is for "z", which is not due'),
        ([{"path": "c", "findings": []}], 'is for "c", which is not due'),
        ([{"path": "a", "findings": []}, {"path": "a", "findings": []}], 'there are two reviews for "a"'),
        ([{"path": "b", "findings": []}, {"findings": []}], 'there are two reviews for "b"'),
        ([{"findings": []}, {"findings": []}, {"findings": []}], 'review 3 is for "", which is not due'),
    ],
)
def test_a_review_of_a_file_that_is_not_due_is_rejected_with_the_due_files(
    collect: Collect, results: list[dict[str, Any]], expected: str
) -> None:
    with pytest.raises(Fault) as raised:
        collect(files=files("a", "b", "c"), results=results)
    assert raised.value.code is Code.INVALID_INPUT
    assert expected in raised.value.message
    assert '"a", "b"' in raised.value.help


@pytest.mark.parametrize("wrong", [{"severity": "fatal"}, {"line": -1}, {"title": ""}])
def test_an_invalid_finding_is_rejected(collect: Collect, wrong: dict[str, Any]) -> None:
    with pytest.raises(Fault) as raised:
        collect(files=files("a"), results=[{"findings": [{**remark("note"), **wrong}]}])
    assert raised.value.code is Code.INVALID_INPUT
