"""Ranking of options by weighted scores, with missing scores reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

CRITERIA = [{"name": "simple", "weight": 3}, {"name": "fast", "weight": 1}]


def weigh(workspace: Workspace, *options: tuple[str, dict[str, int]], within: float = 0.4) -> dict[str, Any]:
    given = {"criteria": CRITERIA, "options": [{"name": name, "scores": scores} for name, scores in options]}
    return call_tool(workspace, "options.weigh", given, params={"close_within": within})


def test_the_score_is_the_weighted_mean(workspace: Workspace) -> None:
    output = weigh(workspace, ("server", {"simple": 2, "fast": 5}), ("file", {"simple": 5, "fast": 2}))
    assert [(one["name"], one["score"]) for one in output["ranking"]] == [("file", 4.25), ("server", 2.75)]
    assert (output["best"], output["margin"], output["verdict"], output["faults"]) == ("file", 1.5, "CLEAR", [])
    assert [one["weakest"] for one in output["ranking"]] == ["fast", "simple"]


@pytest.mark.parametrize(("within", "verdict"), [(1.5, "CLEAR"), (1.51, "CLOSE")])
def test_a_lead_below_the_bound_is_close(workspace: Workspace, within: float, verdict: str) -> None:
    options = ("server", {"simple": 2, "fast": 5}), ("file", {"simple": 5, "fast": 2})
    assert weigh(workspace, *options, within=within)["verdict"] == verdict


def test_faulty_scores_are_listed_and_make_the_verdict_close(workspace: Workspace) -> None:
    output = weigh(workspace, ("a", {"simple": 9, "cheap": 3}), ("a", {"simple": 1, "fast": 1}))
    assert output["faults"] == [
        'two options are called "a"',
        '"a" has no score for "fast"',
        '"a" has 9 for "simple", which is not from 1 to 5',
        '"a" has a score for "cheap", which is not a criterion',
    ]
    assert output["verdict"] == "CLOSE"
    assert output["ranking"][0]["score"] == 4.0


def test_a_single_option_leads_clearly(workspace: Workspace) -> None:
    assert weigh(workspace, ("only", {"simple": 1, "fast": 1}))["verdict"] == "CLEAR"
