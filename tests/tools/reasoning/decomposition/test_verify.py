"""Scores of a decomposition, with every fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]

QUERY = "How does OptionParser convert values, and how are bad options reported?"


def subgoal(name: str, description: str, *needs: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "description": description, "depends_on": list(needs), **more}


def good() -> list[dict[str, Any]]:
    return [
        subgoal("s1", "Find in src/parser.py how OptionParser.convert converts the values of options"),
        subgoal("s2", "Find how BadOption is reported", "s1"),
    ]


def steps(count: int) -> list[dict[str, Any]]:
    """Subgoals that cover the query, each with work of its own."""
    covering = ["Read in OptionParser.convert how values convert", "Find how bad options are reported by BadOption"]
    more = [f"Read test_{name} for an example" for name in ("short", "long", "flags", "empty", "many", "late", "own")]
    return [subgoal(f"s{at}", text) for at, text in enumerate([*covering, *more][:count])]


def chunks(indexed: Workspace, use: Use) -> list[dict[str, Any]]:
    assert indexed.memory.stats().files == 2
    found: list[dict[str, Any]] = use("retrieve", {"query": QUERY})["chunks"]
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [issue["code"] for issue in found.get("issues", [])]


def test_a_good_decomposition_passes(indexed: Workspace, use: Use) -> None:
    found = use("verify", {"query": QUERY, "subgoals": good(), "chunks": chunks(indexed, use)})
    assert found["verdict"] == "PASS"
    assert found["scores"] == {"completeness": 1.0, "consistency": 1.0, "groundedness": 1.0, "routability": 1.0}
    assert found["feedback"] == ""


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        (
            "Wie wandelt OptionParser Werte um, und wie werden schlechte Optionen gemeldet?",
            ("Lies, wie OptionParser Werte umwandelt", "Suche danach, wie schlechte Optionen gemeldet werden"),
        ),
        (
            "Pourquoi les options inconnues sont-elles ignorées, et comment le dire ?",
            ("Trouver pourquoi OptionParser ignore les options inconnues", "Proposer comment le dire à la personne"),
        ),
        (
            "Hur omvandlar OptionParser värden, och hur rapporteras dåliga val?",
            ("Läs hur OptionParser omvandlar värden", "Undersök BadOption och hur dåliga val rapporteras"),
        ),
    ],
)
def test_a_question_in_another_language_is_not_judged_and_that_is_said(
    indexed: Workspace, use: Use, query: str, texts: tuple[str, str]
) -> None:
    subgoals = [subgoal(f"s{at}", text, where=["src/parser.py"]) for at, text in enumerate(texts)]
    found = use("verify", {"query": query, "subgoals": subgoals, "chunks": chunks(indexed, use)})
    assert (found["verdict"], found["feedback"]) == ("PASS", "")
    assert found["note"].startswith("The language of the question is unknown")
    looped = [{**subgoals[0], "depends_on": ["s1"]}, {**subgoals[1], "depends_on": ["s0"]}]
    found = use("verify", {"query": query, "subgoals": looped})
    assert (found["verdict"] != "PASS", "cycle" in codes(found)) == (True, True)


@pytest.mark.parametrize("query", ["payment retries", "Add OAuth login", "OptionParser", QUERY])
def test_a_short_question_and_one_of_names_are_judged(use: Use, query: str) -> None:
    assert "note" not in use("verify", {"query": query, "subgoals": good()})


def test_parts_missing_from_the_subgoals_are_listed(use: Use) -> None:
    query = "How does OptionParser.parse_args sort the late options, and where are timeouts set?"
    found = use("verify", {"query": query, "subgoals": [subgoal("s1", "Read the file"), subgoal("s2", "Explain it")]})
    assert codes(found).count("missing") == 2
    assert 'no subgoal is about "and where are timeouts set"' in found["feedback"]
    assert found["scores"]["completeness"] == 0


@pytest.mark.parametrize(
    ("query", "descriptions"),
    [
        (
            "How does forceKill work, and what's its default?",
            [
                "Explain how forceKill works, and what its default is",
                "Answer how forceKill works and what's the default",
            ],
        ),
        (
            "Rewrite the old functions as thin wrappers, export the new symbols in zlib.map, write comments in zlib.h",
            [
                "Rewrite the old functions as thin wrappers with new symbols in zlib.map and comments in zlib.h",
                "Check the thin wrappers, the old functions, the new symbols in zlib.map and comments in zlib.h",
            ],
        ),
    ],
)
def test_subgoals_that_each_say_the_question_again_are_rejected(query: str, descriptions: list[str], use: Use) -> None:
    quotes = [query[: len(query) // 2], query[len(query) // 2 :]]
    subgoals = [
        subgoal(f"s{at}", text, covers=[quote])
        for at, (text, quote) in enumerate(zip(descriptions, quotes, strict=True), start=1)
    ]
    found = use("verify", {"query": query, "subgoals": subgoals})
    assert found["verdict"] != "PASS"
    assert "repeats_question" in codes(found)


def test_the_name_of_a_file_that_does_not_exist_is_no_member_of_another(indexed: Workspace, use: Use) -> None:
    assert indexed.memory.find_identifiers(["parser", "py"])  # "parser.c" would be a member `c` of `parser`
    invented = [
        subgoal(
            "s1", "Read the table of conversions", covers=["How does OptionParser convert values"], where=["parser.c"]
        ),
        subgoal("s2", "Read its errors", covers=["how are bad options reported"], where=["options.h"]),
    ]
    found = use("verify", {"query": QUERY, "subgoals": invented, "chunks": chunks(indexed, use)})
    assert found["verdict"] != "PASS"
    assert codes(found).count("unknown_place") == 2


def test_other_forms_of_a_word_cover_it(use: Use) -> None:
    subgoals = [
        subgoal("s1", "Converting a value in the option parser"),
        subgoal("s2", "The reporting of a bad option"),
    ]
    found = use("verify", {"query": "How does the parser convert values and report bad options?", "subgoals": subgoals})
    assert found["scores"]["completeness"] == 1.0


def test_a_query_in_a_script_without_spaces_can_be_covered(use: Use) -> None:
    query = "ユーザー認証の設定を変更する"
    both = [subgoal("a", "ユーザー認証を調べる"), subgoal("b", "設定を変更する")]
    covering = use("verify", {"query": query, "subgoals": both})
    other = use("verify", {"query": query, "subgoals": [subgoal("a", "画面の色"), subgoal("b", "印刷")]})
    assert covering["verdict"] == "PASS"
    assert other["scores"]["completeness"] < 0.2


@pytest.mark.parametrize(
    ("subgoals", "code", "message"),
    [
        ([subgoal("s1", QUERY), subgoal("s1", QUERY)], "duplicate_id", '2 subgoals have the id "s1"'),
        ([subgoal("s1", QUERY), subgoal("s2", QUERY, "s9")], "unknown_dependency", '"s2" depends on "s9"'),
        ([subgoal("s1", QUERY, "s2"), subgoal("s2", QUERY, "s1")], "cycle", '"s1", "s2" wait for each other'),
        ([subgoal("s1", QUERY, "s1"), subgoal("s2", QUERY)], "cycle", '"s1" depends on itself'),
    ],
)
def test_a_fatal_fault_fails_an_otherwise_perfect_decomposition(
    subgoals: list[dict[str, Any]], code: str, message: str, use: Use
) -> None:
    found = use("verify", {"query": QUERY, "subgoals": subgoals}, pass_from=0.1, retry_from=0.05)
    assert found["verdict"] == "RETRY"
    assert code in codes(found)
    assert message in found["feedback"]


def test_one_subgoal_is_enough_for_a_question_of_any_level(indexed: Workspace, use: Use) -> None:
    one = subgoal("s1", "Read OptionParser.convert, and how the bad options that it raises are reported")
    found = use("verify", {"query": QUERY, "complexity": "COMPLEX", "subgoals": [one], "chunks": chunks(indexed, use)})
    assert (found["verdict"], codes(found)) == ("PASS", [])


@pytest.mark.parametrize(("complexity", "count", "code"), [("SIMPLE", 3, "too_many"), ("MEDIUM", 9, "too_many")])
def test_a_wrong_number_of_subgoals_is_a_fault(complexity: str, count: int, code: str, use: Use) -> None:
    found = use("verify", {"query": QUERY, "complexity": complexity, "subgoals": steps(count)})
    assert code in codes(found)
    assert found["scores"]["consistency"] <= 0.5


def test_subgoals_that_mention_no_chunk_are_not_grounded(indexed: Workspace, use: Use) -> None:
    floating = [subgoal("s1", "Think about values"), subgoal("s2", "Consider the matter")]
    found = use("verify", {"query": QUERY, "subgoals": floating, "chunks": chunks(indexed, use)})
    assert found["scores"]["groundedness"] == 0
    assert "ungrounded" in codes(found)


def test_groundedness_is_neutral_without_chunks(use: Use) -> None:
    floating = [subgoal("s1", "Find how values convert"), subgoal("s2", "Find how the bad ones are reported")]
    found = use("verify", {"query": QUERY, "subgoals": floating})
    assert found["scores"]["groundedness"] == 0.7
    assert "ungrounded" not in codes(found)


def test_an_unknown_agent_is_reported_with_the_available_ones(root: Path, use: Use) -> None:
    folder = root / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "reviewer.md").write_text("---\nname: reviewer\ndescription: Reviews code\n---\n", encoding="utf-8")
    first, second = good()
    subgoals = [{**first, "agent": "reviewer"}, {**second, "agent": "tester"}]
    found = use("verify", {"query": QUERY, "subgoals": subgoals})
    assert found["scores"]["routability"] == 0.5
    (issue,) = found["issues"]
    assert issue["message"] == 'subgoal "s2" names the agent "tester", which does not exist'
    assert issue["remedy"] == 'name one of "reviewer"'


@pytest.mark.requirement("prd-27")
def test_the_verdict_follows_the_thresholds(use: Use) -> None:
    arguments = {"query": QUERY, "subgoals": [good()[0], {**good()[1], "agent": "nobody"}]}
    score = use("verify", arguments)["score"]
    assert use("verify", arguments, pass_from=score)["verdict"] == "PASS"
    assert use("verify", arguments, pass_from=score + 0.01)["verdict"] == "RETRY"
    assert use("verify", arguments, pass_from=1.0, retry_from=score + 0.01)["verdict"] == "FAIL"


def test_the_score_is_the_weighted_sum(use: Use) -> None:
    found = use("verify", {"query": QUERY, "subgoals": [subgoal("s1", "Find how OptionParser converts")]})
    scores = found["scores"]
    weighed = 0.4 * scores["completeness"] + 0.2 * (
        scores["consistency"] + scores["groundedness"] + scores["routability"]
    )
    assert found["score"] == pytest.approx(weighed, abs=0.001)
