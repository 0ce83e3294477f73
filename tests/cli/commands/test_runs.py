"""`aur runs`: what happened, phase by phase, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Aur = Callable[..., Any]


@pytest.fixture
def run(aur: Aur) -> str:
    """A run of two phases that has ended."""
    aur("mem", "index")
    first = json.loads(
        aur("workflow", "step", "assess", "--input", "query=Where is FloatRange defined?", "--json").stdout
    )
    aur("workflow", "step", first["next_action"], "--run", first["run"])
    return str(first["run"])


def test_runs_are_listed_the_newest_first_and_in_pages(aur: Aur) -> None:
    made = [
        json.loads(aur("workflow", "step", "assess", "--input", f"query=What is {name}?", "--json").stdout)["run"]
        for name in ("first", "second", "third")
    ]

    page = json.loads(aur("runs", "list", "--limit", "2", "--json").stdout)
    rest = json.loads(aur("runs", "list", "--offset", str(page["next_offset"]), "--json").stdout)

    assert [one["run"] for one in page["runs"]] == [made[2], made[1]]
    assert [one["run"] for one in rest["runs"]] == [made[0]]
    assert "next_offset" not in rest
    assert (page["runs"][0]["status"], page["runs"][0]["phase"]) == ("open", "assess")


def test_a_finished_run_tells_each_phase_and_each_rule_it_looked_at(aur: Aur, run: str) -> None:
    shown = json.loads(aur("runs", "show", run, "--json").stdout)

    first, second = shown["steps"]
    assert (shown["status"], shown["total_steps"], shown["workflow"]) == ("ended", 2, "soar@1.0.0")
    assert (first["phase"], first["next_action"], first["early_exit"]) == ("assess", "retrieve_and_respond", True)
    assert first["decision"] == [
        {
            "rule": 1,
            "then": "retrieve_and_respond",
            "fired": True,
            "when": "complexity == 'SIMPLE'",
            "values": {"complexity": "SIMPLE"},
        }
    ]
    assert [rule["fired"] for rule in second["decision"]] == [False, True]
    assert second["result"]["chunks"].startswith("<material>4: code:")


def test_the_tokens_of_a_run_are_shown_next_to_its_budget(aur: Aur, run: str) -> None:
    (listed,) = json.loads(aur("runs", "list", "--json").stdout)["runs"]
    used = f"{listed['tokens_used']:,} of 8,500"
    assert listed["token_budget"] == 8500
    assert f"tokens of its responses: {used}" in aur("runs", "show", run).stdout
    assert used in aur("runs", "list", env={"COLUMNS": "200"}).stdout
    assert "budget: 8,500 tokens of responses in a run" in aur("workflow", "show", "soar").stdout


def test_one_step_is_shown_with_its_values_in_full(aur: Aur, run: str) -> None:
    shown = json.loads(aur("runs", "show", run, "--step", "2", "--json").stdout)

    (step,) = shown["steps"]
    assert step["seq"] == 2
    assert step["result"]["chunks"][0]["symbol"] == "FloatRange"


def test_a_person_reads_why_the_run_went_where_it_went(aur: Aur, run: str) -> None:
    done = aur("runs", "show", run)

    assert done.stdout.startswith(f"run {run}  soar@1.0.0  ended  ")
    assert "→ retrieve_and_respond  rule 1: complexity == 'SIMPLE' is true" in done.stdout
    assert "is false" in done.stdout


def test_a_run_in_pages_loses_no_step(aur: Aur, run: str) -> None:
    later = json.loads(aur("runs", "show", run, "--offset", "1", "--json").stdout)

    assert [step["seq"] for step in later["steps"]] == [2]


def test_a_step_that_never_was_is_not_found(aur: Aur, run: str) -> None:
    done = aur("runs", "show", run, "--step", "9")

    assert done.returncode == 1
    assert done.stderr == f'aur: run "{run}" has no step 9\nhelp: It has 2, counted from 1.\n'


def test_without_runs_the_list_says_how_to_begin_one(aur: Aur) -> None:
    assert "aur workflow step assess" in aur("runs", "list").stdout
