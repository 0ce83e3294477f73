"""Options are ranked by their weighted scores, and what is missing in them is told."""

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
    told = weigh(workspace, ("server", {"simple": 2, "fast": 5}), ("file", {"simple": 5, "fast": 2}))
    assert [(one["name"], one["score"]) for one in told["ranking"]] == [("file", 4.25), ("server", 2.75)]
    assert (told["best"], told["margin"], told["verdict"], told["faults"]) == ("file", 1.5, "CLEAR", [])
    assert [one["weakest"] for one in told["ranking"]] == ["fast", "simple"]


@pytest.mark.parametrize(("within", "verdict"), [(1.5, "CLEAR"), (1.51, "CLOSE")])
def test_a_lead_below_the_bound_is_close(workspace: Workspace, within: float, verdict: str) -> None:
    options = ("server", {"simple": 2, "fast": 5}), ("file", {"simple": 5, "fast": 2})
    assert weigh(workspace, *options, within=within)["verdict"] == verdict


def test_whatever_is_wrong_with_the_scores_is_told_by_name_and_never_clear(workspace: Workspace) -> None:
    told = weigh(workspace, ("a", {"simple": 9, "cheap": 3}), ("a", {"simple": 1, "fast": 1}))
    assert told["faults"] == [
        'two options are called "a"',
        '"a" has no score for "fast"',
        '"a" has 9 for "simple", which is not from 1 to 5',
        '"a" has a score for "cheap", which is not a criterion',
    ]
    assert told["verdict"] == "CLOSE"
    assert told["ranking"][0]["score"] == 4.0


def test_a_single_option_leads_clearly(workspace: Workspace) -> None:
    assert weigh(workspace, ("only", {"simple": 1, "fast": 1}))["verdict"] == "CLEAR"
