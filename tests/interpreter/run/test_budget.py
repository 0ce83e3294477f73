"""The budget of a run: each response is counted once, and past the budget responses say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter import to_compact_json
from aurora.interpreter.language.tokens import count_tokens
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "w" * 2000
PARTS = """
aurora: 2
name: parts
version: 1.0.0
start: first
budget: { tokens: 900 }
phases:
  first:
    inputs: { text: { type: string } }
    prompt_template: "Read {{ text }}."
    answer: { type: string }
    next_action: second
  second:
    inputs: { text: { from: inputs.text } }
    prompt_template: "Read {{ text }} again."
    answer: { type: string }
    next_action: end
"""
OUTER = """
aurora: 2
name: outer
version: 1.0.0
start: begin
budget: { tokens: 100000 }
phases:
  begin:
    inputs: { text: { type: string } }
    workflow: parts
    with: { text: text }
    next_action: end
"""


def count(*responses: dict[str, Any]) -> int:
    return sum(count_tokens(to_compact_json(response)) for response in responses)


def begin(host: Any, text: str = PARTS, name: str = "parts", phase: str = "first") -> dict[str, Any]:
    host.write(f"{name}.yaml", text)
    response: dict[str, Any] = host(phase, workflow=name, text=WORDS)
    assert response["status"] == "complete", response.get("error")
    return response


def show(host: Any, response: dict[str, Any]) -> dict[str, Any]:
    return call_tool(host.workspace, "runs.show", {"run": response["run"]})


def test_a_token_is_four_characters_of_the_compact_json() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


def test_a_response_says_from_the_budget_on_what_the_run_has_used(host: Any) -> None:
    first = begin(host)
    assert "budget" not in first["metadata"]
    second = host.next(first, answer="one")
    assert second["status"] == "complete"
    assert second["metadata"]["budget"] == {"tokens": 900, "used": count(first, second)}
    end = host.next(second, answer="two")
    assert (end["status"], end["next_action"]) == ("complete", "end")
    assert end["metadata"]["budget"] == {"tokens": 900, "used": count(first, second, end)}


def test_the_journal_has_what_was_used_and_the_budget(host: Any, open_host: Callable[..., Any]) -> None:
    first = begin(host)
    assert (show(host, first)["tokens_used"], show(host, first)["token_budget"]) == (count(first), 900)
    second = host.next(first, answer="one")
    later = open_host()
    end = later.next(second, answer="two")  # another process goes on with the sum
    for one in (host, later):
        assert show(one, first)["tokens_used"] == count(first, second, end)
    (listed,) = call_tool(host.workspace, "runs.list", {})["runs"]
    assert (listed["tokens_used"], listed["token_budget"]) == (count(first, second, end), 900)


def test_a_repeated_call_counts_once(host: Any) -> None:
    first = begin(host)
    second = host.next(first, answer="one")
    used = show(host, first)["tokens_used"]
    assert host.next(first, answer="one") == second
    assert host("continue", run=first["run"]) == second
    assert show(host, first)["tokens_used"] == used


def test_a_refused_call_costs_nothing_and_says_that_the_budget_is_used_up(host: Any) -> None:
    first = begin(host)
    second = host.next(first, answer="one")
    refused = host.next(second, answer={"no": "text"})
    assert refused["status"] == "error"
    assert refused["metadata"]["budget"] == second["metadata"]["budget"]
    assert show(host, first)["tokens_used"] == count(first, second)


def test_a_fork_counts_the_responses_that_it_keeps(host: Any) -> None:
    first = begin(host)
    second = host.next(first, answer="one")
    fork = host.next(first, answer="another")
    assert fork["metadata"]["forked_from"] == f"{first['run']}:2"
    assert show(host, fork)["tokens_used"] == count(first, fork)
    assert show(host, first)["tokens_used"] == count(first, second)


def test_the_responses_of_an_inner_workflow_count_to_the_run_and_its_budget(host: Any) -> None:
    host.write("parts.yaml", PARTS)
    first = begin(host, OUTER, "outer", "begin")
    second = host.next(first, answer="one")
    assert "budget" not in second["metadata"]
    shown = show(host, first)
    assert (shown["tokens_used"], shown["token_budget"]) == (count(first, second), 100_000)


def test_a_run_without_a_budget_is_counted_too(host: Any) -> None:
    first = begin(host, PARTS.replace("budget: { tokens: 900 }\n", ""))
    second = host.next(first, answer="one")
    assert "budget" not in second["metadata"]
    shown = show(host, first)
    assert shown["tokens_used"] == count(first, second)
    assert "token_budget" not in shown


def test_a_budget_that_an_edit_lowers_holds_from_the_next_response_on(host: Any) -> None:
    first = begin(host, PARTS.replace("900", "90000"))
    host.write("parts.yaml", PARTS.replace("900", "100"))
    second = host.next(first, answer="one")
    assert second["metadata"]["budget"] == {"tokens": 100, "used": count(first, second)}
    assert show(host, first)["token_budget"] == 100


def test_a_response_at_its_limit_of_characters_still_fits_with_the_budget(host: Any) -> None:
    host.write("parts.yaml", PARTS)
    response = host("first", workflow="parts", text="w" * 13_000)
    assert len(to_compact_json(response)) <= 18_300
    assert response["metadata"]["budget"] == {"tokens": 900, "used": count(response)}


def test_a_patch_replaces_or_removes_the_budget(host: Any) -> None:
    host.write("parts.yaml", PARTS)
    host.write("more.yaml", "extends: parts\nname: more\nbudget: { tokens: 7000 }\n")
    host.write("free.yaml", "extends: parts\nname: free\nbudget: null\n")
    budgets = {name: host.workspace.workflows.load(name).workflow.budget for name in ("parts", "more", "free")}
    assert [budget and budget.tokens for budget in budgets.values()] == [900, 7000, None]


def test_workflow_show_and_validate_name_the_budget(host: Any) -> None:
    host.write("parts.yaml", PARTS)
    assert call_tool(host.workspace, "workflow.show", {"name": "parts"})["token_budget"] == 900
    (checked,) = call_tool(host.workspace, "workflow.validate", {"files": ["parts"]})["files"]
    assert (checked["errors"], checked["proof"]["token_budget"]) == (0, 900)
