"""Claims of subgoals: what they cover, where they look, and that they are work of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]

QUERY = "How does OptionParser convert values, and how are bad options reported?"


def convert(**more: Any) -> dict[str, Any]:
    return {
        "id": "s1",
        "description": "Read how a value gets the type of its option",
        "covers": ["OptionParser convert values"],
        "where": ["OptionParser.convert"],
        "depends_on": [],
        **more,
    }


def report(**more: Any) -> dict[str, Any]:
    return {
        "id": "s2",
        "description": "Read what a person sees after a mistake",
        "covers": ["how are bad options reported"],
        "where": ["src/parser.py"],
        "depends_on": [],
        **more,
    }


@pytest.fixture
def verify(indexed: Workspace, use: Use) -> Callable[..., dict[str, Any]]:
    """Verify subgoals against the indexed project and its retrieved chunks."""
    assert indexed.memory.stats().files == 2
    chunks = use("retrieve", {"query": QUERY})["chunks"]

    def call(*subgoals: dict[str, Any]) -> dict[str, Any]:
        return use("verify", {"query": QUERY, "subgoals": list(subgoals), "chunks": chunks})

    return call


def issues(found: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [issue for issue in found.get("issues", []) if issue["code"] == code]


def test_true_claims_pass_in_other_words(verify: Use) -> None:
    found = verify(convert(), report())
    assert (found["verdict"], found["score"], found.get("issues")) == ("PASS", 1.0, None)


def test_each_named_place_is_resolved_to_its_lines(verify: Use) -> None:
    found = verify(
        convert(where=["OptionParser.convert", "new: src/retry.py"]),
        report(where=["src/parser.py", "OptionParser.explode", "OptionParsr"]),
    )
    assert found["resolved"] == [
        {"name": "OptionParser.convert", "place": "src/parser.py:11-15", "status": "found"},
        {"name": "new: src/retry.py", "status": "new"},
        {"name": "src/parser.py", "place": "src/parser.py", "status": "found"},
        {"name": "OptionParser.explode", "status": "missing"},
        {"name": "OptionParsr", "nearest": "OptionParser", "status": "missing"},
    ]


def test_a_member_that_a_class_inherits_is_found_at_the_base(root: Path, workspace: Workspace, use: Use) -> None:
    (root / "src" / "flags.py").write_text(
        "from parser import OptionParser\n\n\nclass FlagParser(OptionParser):\n    pass\n", encoding="utf-8"
    )
    workspace.memory.index(root)
    found = use("verify", {"query": QUERY, "subgoals": [convert(where=["FlagParser.convert"]), report()]})
    assert found["resolved"][0] == {"name": "FlagParser.convert", "place": "src/parser.py:11-15", "status": "found"}


def test_words_that_no_subgoal_has_are_listed(verify: Use) -> None:
    found = verify(convert(covers=[]))
    assert found["uncovered"] == ["bad", "reported"]


def test_the_question_pasted_twice_does_not_pass(verify: Use) -> None:
    found = verify(convert(description=QUERY), report(description=QUERY))
    assert found["verdict"] == "RETRY"
    assert [issue["subgoal"] for issue in issues(found, "repeats_question")] == ["s1", "s2"]
    assert "say which piece of work it is" in found["feedback"]


@pytest.mark.parametrize(
    "place",
    [
        "src/parser.py",
        "./src/parser.py",
        "src/parser.py:4-9",
        "src/parser.py#L4-L9",
        "parser.py",
        "src",
        "src/",
        "src/*.py",
        "src/**/*.py",
        "OptionParser",
        "OptionParser.convert()",
        "`OptionParser.convert`",
        "src/parser.py::OptionParser.convert",
        "src/parser.py:OptionParser",
        "OptionParser#convert",
        "OptionParser.parse_args(self, args)",
        "parse_args in src/parser.py",
        "src/parser.py, docs/guide.md",
        "Reporting errors",
        "new: src/retry.py",
        "NEW:tests/test_retry.py",
        "new: RetryPolicy",
        "new: src/options/types/enum.py",
    ],
)
def test_a_place_that_exists_or_is_new_grounds_a_subgoal(place: str, verify: Use) -> None:
    found = verify(convert(where=[place]), report(where=[place]))
    assert issues(found, "unknown_place") == []
    assert found["scores"]["groundedness"] == 1.0


@pytest.mark.parametrize(
    "place",
    [
        "src/retry.py",
        "OptionConverterFactory",
        "OptionParser.explode",
        "src/parser.py::explode",
        "/etc/passwd",
        ".git/config",
        "new: ../outside.py",
        "new: /etc/cron.d/job",
        "new: lib/deep/folder/file.py",
        "new:",
        "src/\0parser.py",
        "the usual place",
        "*",
    ],
)
def test_a_place_that_does_not_exist_does_not_pass(place: str, root: Path, verify: Use) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("", encoding="utf-8")
    found = verify(convert(where=[place]), report())
    (issue,) = issues(found, "unknown_place")
    assert (found["verdict"], issue["subgoal"], issue["fatal"]) == ("RETRY", "s1", True)
    assert 'name a place that exists (as "' in issue["remedy"]


def test_a_link_out_of_the_project_is_no_place(root: Path, tmp_path: Path, verify: Use) -> None:
    (tmp_path / "secret.py").write_text("x = 1\n", encoding="utf-8")
    (root / "linked.py").symlink_to(tmp_path / "secret.py")
    assert issues(verify(convert(where=["linked.py"]), report()), "unknown_place")


def test_one_wrong_place_next_to_a_right_one_is_reported_and_passes(verify: Use) -> None:
    found = verify(convert(where=["OptionParser.convert", "src/nowhere.py"]), report())
    (issue,) = issues(found, "unknown_place")
    assert (found["verdict"], issue["fatal"]) == ("PASS", False)


def test_an_identifier_in_the_text_of_a_file_is_a_place(root: Path, workspace: Workspace, use: Use) -> None:
    (root / "src" / "settings.py").write_text('SETTINGS = {"max_option_chars": 80}\n', encoding="utf-8")
    workspace.memory.index(root)
    subgoals = [convert(where=["max_option_chars"]), report()]
    assert issues(use("verify", {"query": QUERY, "subgoals": subgoals}), "unknown_place") == []


def test_an_expert_who_names_the_right_symbols_needs_no_claims(verify: Use) -> None:
    subgoals = [
        {"id": "s1", "description": "Read OptionParser.convert and what it raises", "depends_on": []},
        {"id": "s2", "description": "Read BadOption and docs/guide.md", "depends_on": []},
    ]
    assert verify(*subgoals)["verdict"] == "PASS"


def test_an_invented_symbol_in_a_description_does_not_pass(verify: Use) -> None:
    subgoals = [
        {"id": "s1", "description": "Read how ValueConverter.apply converts values of options", "depends_on": []},
        {"id": "s2", "description": "Read how ErrorReporter.emit reports bad options", "depends_on": []},
    ]
    found = verify(*subgoals)
    assert found["verdict"] == "RETRY"
    assert [issue["subgoal"] for issue in issues(found, "unknown_place")] == ["s1", "s2"]


def test_a_decomposition_without_any_place_is_asked_for_places(verify: Use) -> None:
    found = verify(
        {"id": "s1", "description": "Find how the values get converted", "depends_on": []},
        {"id": "s2", "description": "Find how bad ones are reported to a person", "depends_on": []},
    )
    assert found["verdict"] == "RETRY"
    assert 'subgoal "s1" names no file or symbol: list them in where (as "' in found["feedback"]


def test_a_subgoal_that_only_joins_results_needs_no_place(verify: Use) -> None:
    summary = {"id": "s3", "description": "Describe both in one paragraph", "depends_on": ["s1", "s2"]}
    found = verify(convert(), report(), summary)
    assert (found["verdict"], found["scores"]["groundedness"]) == ("PASS", 1.0)


def test_a_path_is_judged_before_the_project_is_indexed(use: Use) -> None:
    found = use("verify", {"query": QUERY, "subgoals": [convert(where=["src/nowhere.py"]), report()]})
    assert [issue["subgoal"] for issue in issues(found, "unknown_place")] == ["s1"]


def test_more_places_than_are_looked_up_are_not_judged(verify: Use) -> None:
    subgoals = [
        convert(id=f"s{at}", description=f"Read area {at}", where=[f"src/none_{at}_{place}.py" for place in range(10)])
        for at in range(20)
    ]
    found = verify(*subgoals)
    assert len(issues(found, "unknown_place")) == 6
