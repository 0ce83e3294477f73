"""Parts of a question that are no subgoal's work, other topics, and members that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]
    Verify = Callable[..., dict[str, Any]]

QUERY = "How does OptionParser convert values, how are bad options reported, and what happens to defaults?"


@pytest.fixture
def verify(indexed: Workspace, use: Use) -> Verify:
    """Verify subgoals about an indexed project."""
    assert indexed.memory.stats().files == 2

    def call(*subgoals: dict[str, Any], query: str = QUERY) -> dict[str, Any]:
        return use("verify", {"query": query, "subgoals": list(subgoals)})

    return call


def subgoal(id_: str, description: str, **claims: list[str]) -> dict[str, Any]:
    return {"id": id_, "description": description, "depends_on": [], **claims}


CONVERT = subgoal(
    "s1",
    "Read how a value gets the type of its option",
    covers=["OptionParser convert values"],
    where=["OptionParser.convert"],
)
REPORT = subgoal(
    "s2", "Read what a person sees after a mistake", covers=["bad options reported"], where=["src/parser.py"]
)
DEFAULTS = subgoal("s3", "Read which value is used without an argument", covers=["defaults"], where=["src/parser.py"])


def test_a_part_of_one_word_must_be_the_work_of_a_subgoal(verify: Verify) -> None:
    found = verify(CONVERT, REPORT)
    assert found["verdict"] == "RETRY"
    assert [(fault["code"], fault["fatal"]) for fault in found["faults"]] == [("missing", True)]
    assert '"what happens to defaults"' in found["feedback"]
    assert verify(CONVERT, REPORT, DEFAULTS)["verdict"] == "PASS"


def test_true_claims_about_another_topic_do_not_pass(verify: Verify) -> None:
    garden = {**CONVERT, "description": "Water the plants in the garden"}
    fence = {**REPORT, "description": "Paint the fence white", "covers": ["bad options reported", "defaults"]}
    found = verify(garden, fence)
    assert found["verdict"] == "RETRY"
    assert [fault["subgoal"] for fault in found["faults"] if fault["code"] == "unrelated"] == ["s1", "s2"]
    assert "shares no word" in found["feedback"]


def test_one_subgoal_in_words_of_its_own_is_not_another_topic(verify: Verify) -> None:
    own = {**DEFAULTS, "description": "Explain the fallback"}
    assert verify(CONVERT, REPORT, own)["verdict"] == "PASS"


def test_a_member_that_its_owner_does_not_have_is_invented_although_its_file_exists(verify: Verify) -> None:
    query = "How does OptionParser convert values, and how are bad options reported?"
    first = subgoal("s1", "In src/parser.py read how OptionParser.transmogrify_values converts values")
    second = subgoal("s2", "In src/parser.py read how OptionParser.announce_failures reports bad options")
    found = verify(first, second, query=query)
    assert found["verdict"] != "PASS"
    assert "OptionParser.announce_failures" in found["feedback"]
    assert "src/parser.py" not in found["feedback"].split("does not have")[0]


def test_a_member_that_the_work_adds_may_be_missing(verify: Verify) -> None:
    query = "OptionParser should convert values, and bad options should be reported"
    first = subgoal("s1", "In src/parser.py add OptionParser.transmogrify_values, which converts values")
    second = subgoal("s2", "In src/parser.py implement OptionParser.announce_failures, which reports bad options")
    assert verify(first, second, query=query)["verdict"] == "PASS"


ASKED = "We're seeing 502/503 again. How does OptionParser convert values, and how are bad options reported?"


def test_the_circumstances_of_a_question_need_no_subgoal(verify: Verify) -> None:
    assert verify(CONVERT, REPORT, query=ASKED)["verdict"] == "PASS"


@pytest.mark.parametrize("words", ["502/503", "read/write", "TCP/IP", "and/or"])
def test_words_with_a_slash_are_no_path(words: str, verify: Verify) -> None:
    first = subgoal("s1", f"Read OptionParser.convert for {words} of a value")
    second = subgoal("s2", f"Read how BadOption shows {words} to a person")
    found = verify(
        first, second, query=f"How does OptionParser convert {words} values, and how are bad options reported?"
    )
    assert (found["verdict"], found["faults"]) == ("PASS", [])


def test_a_path_that_does_not_exist_is_invented_although_words_with_a_slash_are_not(verify: Verify) -> None:
    first = subgoal("s1", "Read how src/converting/values.py converts the values of options")
    second = subgoal("s2", "Read how src/reporting/errors.py reports bad options")
    query = "How does OptionParser convert values, and how are bad options reported?"
    assert verify(first, second, query=query)["verdict"] != "PASS"


def test_a_subgoal_for_each_part_may_use_words_of_its_own(verify: Verify) -> None:
    first = subgoal("s1", "Type coercion, defaults included", where=["OptionParser.convert"])
    second = subgoal("s2", "The message after a mistake", where=["BadOption"])
    assert verify(first, second)["verdict"] == "PASS"


def test_the_parts_of_the_question_are_no_subgoals(verify: Verify) -> None:
    parts = [
        subgoal("s1", "Find how OptionParser converts values"),
        subgoal("s2", "Find how bad options are reported"),
        subgoal("s3", "Find what happens to defaults"),
    ]
    found = verify(*parts)
    assert found["verdict"] == "RETRY"
    assert {fault["subgoal"] for fault in found["faults"] if fault["code"] == "repeats_question"} == {"s1", "s2", "s3"}
    assert "name the symbol in where" in found["feedback"]
    placed = [{**part, "where": ["src/parser.py"]} for part in parts]
    assert verify(*placed)["verdict"] == "RETRY"
    defined = [{**part, "where": ["OptionParser.convert", "BadOption"]} for part in parts]
    assert verify(*defined)["verdict"] == "PASS"


def test_tests_that_are_requested_must_be_the_work_of_a_subgoal(verify: Verify) -> None:
    query = "Make OptionParser convert dates and write tests"
    first = subgoal("s1", "Read which types it converts", where=["OptionParser.convert"])
    second = subgoal("s2", "Add the parsing of a date", where=["src/parser.py"])
    found = verify(first, second, query=query)
    assert found["verdict"] == "RETRY"
    assert '"write tests"' in found["feedback"]
    third = subgoal("s3", "Cover valid and invalid dates", where=["new: tests/test_dates.py"])
    assert verify(first, second, third, query=query)["verdict"] == "PASS"


def test_subgoals_that_say_nothing_do_not_pass_with_true_claims(verify: Verify) -> None:
    found = verify({**CONVERT, "description": "Step one of the plan"}, {**REPORT, "description": "Take the next step"})
    assert "empty" in [fault["code"] for fault in found["faults"]]
    assert found["verdict"] != "PASS"


def test_joining_the_results_of_real_work_is_not_empty(verify: Verify) -> None:
    summary = {**subgoal("s4", "Summarize the findings"), "depends_on": ["s1", "s2", "s3"]}
    assert verify(CONVERT, REPORT, DEFAULTS, summary)["verdict"] == "PASS"


def test_tests_are_work_where_the_question_requests_them(verify: Verify) -> None:
    query = "Make OptionParser convert dates and write tests"
    first = subgoal("s1", "Parse a date in the conversion of values", where=["OptionParser.convert"])
    second = subgoal("s2", "Add tests", where=["new: tests/test_dates.py"])
    assert verify(first, second, query=query)["verdict"] == "PASS"


def test_a_quote_inside_a_longer_name_does_not_cover_that_name(verify: Verify) -> None:
    query = "Bad options must be reported to the caller, and the 'wsCallerError' event should fire when nobody listens."
    first = subgoal("s1", "Raise BadOption", covers=["Bad options must be reported to the caller"], where=["BadOption"])
    found = verify(
        first, subgoal("s2", "Convert its value", covers=["the caller"], where=["OptionParser.convert"]), query=query
    )
    assert found["verdict"] == "RETRY"
    assert "wsCallerError" in found["feedback"]


LONG = (
    "Add a type for dates to OptionParser, which knows ISO days, weeks and months, which a program can replace, and "
    "which rejects bad options. I'd also like to switch off the rounding of values. Cover both with tests, and mention "
    "them in the README."
)


def test_a_question_of_many_parts_is_judged_part_by_part_where_subgoals_quote_it(verify: Verify) -> None:
    quotes = {
        "Parse the ISO forms in the conversion": ["Add a type for dates", "knows ISO days, weeks and months"],
        "Let the caller pass its own function and raise BadOption": ["a program can replace", "rejects bad options"],
        "Round only where the caller says so": ["switch off the rounding of values"],
        "Try valid and invalid days": ["Cover both with tests"],
        "Describe both keywords": ["mention them in the README"],
    }
    works = [
        subgoal(f"s{at}", text, covers=covers, where=["src/parser.py", "BadOption"])
        for at, (text, covers) in enumerate(quotes.items(), start=1)
    ]
    assert verify(*works, query=LONG)["verdict"] == "PASS"
    for at in (2, 4):
        found = verify(*works[:at], *works[at + 1 :], query=LONG)
        assert (found["verdict"], [fault["code"] for fault in found["faults"]]) == ("RETRY", ["missing"])
