"""Reports of problems have exactly the formats of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import Place
from aurora.interpreter.reporters import build_sarif, format_github

FOUND = codes.ENUM_LITERAL.make_problem(
    Place("a dir/täa.yaml", 3, 5, 3, 9), "'x' is 100% wrong", help="did you\nmean 'y'?", note="see b:1:2"
)
OTHER = codes.UNREAD_ANSWER.make_problem(Place("/elsewhere/b,c:d.yaml", 1, 1, 4, 1), "unread")


def test_an_annotation_is_one_line_with_everything_escaped() -> None:
    said = "'x' is 100%25 wrong%0Ahelp: did you mean 'y'?%0Anote: see b:1:2"
    assert format_github([FOUND, OTHER]).split("\n") == [
        f"::error file=a dir/täa.yaml,line=3,col=5,endLine=3,endColumn=9,title=E307 enum-literal::{said}",
        "::warning file=/elsewhere/b%2Cc%3Ad.yaml,line=1,col=1,endLine=1,endColumn=2,title=W504 unread-answer::unread",
    ]


def test_no_problems_give_no_annotations() -> None:
    assert format_github([]) == ""


@pytest.mark.parametrize("problems", [[], [FOUND], [FOUND, OTHER, FOUND]])
def test_a_sarif_log_has_the_required_structure(problems: list[object]) -> None:
    log = json.loads(json.dumps(build_sarif(problems, "1.2.3")))  # type: ignore[arg-type]

    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("aurora", "1.2.3")
    assert len(run["results"]) == len(problems)
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == Path.cwd().as_uri() + "/"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == sorted(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning")
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["endColumn"] > region["startColumn"] >= 1


def test_a_path_in_sarif_is_a_relative_or_absolute_uri() -> None:
    results = build_sarif([FOUND, OTHER], "1")["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results]

    assert places[0] == {"uri": "a%20dir/t%C3%A4a.yaml", "uriBaseId": "SRCROOT"}
    assert places[1] == {"uri": "file:///elsewhere/b%2Cc%3Ad.yaml"}
