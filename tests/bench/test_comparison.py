"""The comparison with and without Aurora: its questions, its scores, and a whole one with a host of a few lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from comparison.figures import compute_figures
from comparison.folders import WITH, WITHOUT
from comparison.questions import Question, read_questions
from comparison.reports import READERS, Report, read_events
from comparison.results import ANSWERED, TIMEOUT, Result, append_result, read_results, select_results
from comparison.scoring import Score, score_answer

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = Path(__file__).resolve().parents[2] / "bench"
QUESTIONS = BENCH / "comparison" / "questions.yaml"
CLICK = Path(click.__file__).parent
QUESTION = Question("How wide?", "formatting.py", (137,), (r"\b50\b",), (r"\b80\b",))


def make_result(question: Question, arm: str, answer: str, ended: str = ANSWERED, turns: int | None = 1) -> Result:
    return Result("codex", "own", "0", arm, question.ask, ended, answer, turns, None, None, None, 1.0)


def test_each_question_names_a_line_of_click_that_has_the_fact() -> None:
    questions = read_questions(QUESTIONS, CLICK)

    assert len(questions) >= 40
    assert len({question.ask for question in questions}) == len(questions)
    assert not any(score_answer(question, "I do not know.").facts for question in questions)


def test_questions_whose_line_or_fact_is_not_in_the_sources_are_refused_together(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one = 1\ntwo = 2\ntwo = 2\n", encoding="utf-8")
    entries = [
        {"ask": "1", "file": "a.py", "lines": ["two = 2"], "facts": ["2"]},
        {"ask": "2", "file": "a.py", "lines": ["one = 1"], "facts": ["seven"]},
        {"ask": "3", "file": "b.py", "lines": ["one = 1"], "facts": ["1"]},
    ]
    (tmp_path / "questions.yaml").write_text(json.dumps(entries), encoding="utf-8")

    with pytest.raises(ValueError, match="pass --sources") as refused:
        read_questions(tmp_path / "questions.yaml", tmp_path)

    first, second, third, _ = str(refused.value).splitlines()
    assert first == "questions.yaml: a.py: 'two = 2' is in 2 lines, and must be in one"
    assert second == "questions.yaml: a.py: 'seven' is not within 20 lines of [1]"
    assert third == "questions.yaml: b.py: 'one = 1' is in 0 lines, and must be in one"


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("It is 50.\nPLACE: formatting.py:140", Score(file=True, line=True, facts=True)),
        ("It is 50.\n**PLACE:** `./src/formatting.py:137`", Score(file=True, line=True, facts=True)),
        ("It is 50.\nPLACE: formatting.py:150", Score(file=True, line=False, facts=True)),
        ("It is 50.\nPLACE: formatting.py", Score(file=True, line=False, facts=True)),
        ("PLACE: formatting.py:137\nIt is 50.\nPLACE: core.py:137", Score(file=False, line=False, facts=True)),
        ("It is 50 or 80.\nPLACE: formatting.py:137", Score(file=True, line=True, facts=False)),
        ("It is narrow.\nPLACE: formatting.py:50", Score(file=True, line=False, facts=False)),
        ("", Score(file=False, line=False, facts=False)),
    ],
)
def test_an_answer_is_scored_by_its_last_place_and_the_words_before_it(answer: str, score: Score) -> None:
    assert score_answer(QUESTION, answer) == score


OUTPUTS: dict[str, tuple[list[dict[str, Any]], Report]] = {
    "claude-code": (
        [
            {"type": "system", "tools": ["mcp__aurora__aurora_query"]},
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "mcp__aurora__aurora_query"}]}},
            {
                "type": "result",
                "result": "It is 50.",
                "num_turns": 2,
                "usage": {"input_tokens": 1, "cache_read_input_tokens": 20, "output_tokens": 3},
            },
        ],
        Report("It is 50.", 2, 21, 3, 1),
    ),
    "codex": (
        [
            {"type": "item.completed", "item": {"type": "mcp_tool_call", "server": "aurora", "tool": "aurora_query"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "It is 50."}},
            {"type": "turn.completed", "usage": {"input_tokens": 21, "cached_input_tokens": 20, "output_tokens": 3}},
        ],
        Report("It is 50.", None, 21, 3, 1),
    ),
    "gemini": (
        [
            {
                "response": "It is 50.",
                "stats": {
                    "models": {
                        "a": {"api": {"totalRequests": 2}, "tokens": {"prompt": 21, "candidates": 2, "thoughts": 1}}
                    },
                    "tools": {"byName": {"mcp_aurora_aurora_query": {"count": 1}, "glob": {"count": 4}}},
                },
            }
        ],
        Report("It is 50.", 2, 21, 3, 1),
    ),
    "opencode": (
        [
            {"type": "tool_use", "part": {"tool": "aurora_aurora_query"}},
            {"type": "step_finish", "part": {"tokens": {"input": 1, "output": 1, "cache": {"read": 8, "write": 2}}}},
            {"type": "text", "part": {"text": "It is 50."}},
            {"type": "step_finish", "part": {"tokens": {"input": 10, "output": 1, "reasoning": 1}}},
        ],
        Report("It is 50.", 2, 21, 3, 1),
    ),
    "copilot-cli": (
        [
            {"type": "assistant.message", "data": {"content": "", "outputTokens": 1}},
            {"type": "tool.execution_start", "data": {"toolName": "aurora-aurora_query", "mcpServerName": "aurora"}},
            {"type": "assistant.message", "data": {"content": "It is 50.", "outputTokens": 2}},
        ],
        Report("It is 50.", 2, None, 3, 1),
    ),
}


@pytest.mark.parametrize("host", OUTPUTS)
def test_the_report_of_a_host_is_read_among_its_messages(host: str) -> None:
    events, report = OUTPUTS[host]
    indent = 2 if host == "gemini" else None
    output = "\n".join(["Warning: {", *(json.dumps(event, indent=indent) for event in events), "{ done"])

    assert READERS[host](read_events(output)) == report


@pytest.mark.parametrize("host", READERS)
def test_a_host_that_reports_nothing_leaves_its_figures_not_known(host: str) -> None:
    report = READERS[host](read_events("Please log in.\n"))

    assert (report.answer, report.turns, report.sent, report.received) == ("", None, None, None)


def test_results_continue_after_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first, second = (make_result(QUESTION, arm, "") for arm in (WITH, WITHOUT))
    append_result(path, first)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"host": "cod')

    assert read_results(path) == (first,)
    append_result(path, second)
    assert read_results(path) == (first, second)


def test_a_line_that_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"host": "codex"}\n', encoding="utf-8")

    with pytest.raises(ValueError, match=r"results.jsonl:1: not a result of a session"):
        read_results(tmp_path / "results.jsonl")


def test_a_failed_session_is_tried_again_and_a_timeout_is_not() -> None:
    failed = make_result(QUESTION, WITH, "", ended="no answer, exit code 1: log in")
    late = make_result(QUESTION, WITHOUT, "", ended=TIMEOUT)

    assert list(select_results([failed, late], "codex", "own", "0").values()) == [late]


def test_the_interval_of_a_difference_is_that_of_the_pairs() -> None:
    questions = [Question(f"How wide is {number}?", "formatting.py", (137,), ("50",)) for number in range(40)]
    results = {}
    for number, question in enumerate(questions):
        good = "50\nPLACE: formatting.py:137"
        results[question.ask, WITHOUT] = make_result(question, WITHOUT, good if number % 2 else "", turns=5)
        results[question.ask, WITH] = make_result(question, WITH, good, turns=None if number else 3)

    file, _, facts, turns, sent, *_ = compute_figures([*questions, QUESTION], results)

    assert (file.pairs, file.without, file.with_it, file.difference) == (40, 0.5, 1.0, 0.5)
    assert 0.3 < file.low < 0.4
    assert 0.6 < file.high < 0.7
    assert (facts.low, facts.high) == (file.low, file.high)
    assert (turns.pairs, turns.difference, turns.low, turns.high) == (1, -2, -2, -2)
    assert sent.pairs == 0


@pytest.fixture
def compare(programs: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The comparison of the plain host with a scripted model."""

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(BENCH / "with_and_without.py"), "claude-code", str(tmp_path / "results.jsonl")]
        command += ["--scripted", "--programs", str(programs / "node_modules" / ".bin"), *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, env=os.environ)

    return run


@pytest.mark.slow
def test_a_comparison_is_continued_and_its_order_alternates(
    compare: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    first, second = compare(), compare()

    assert first.returncode == second.returncode == 0, first.stdout + first.stderr + second.stderr
    results = read_results(tmp_path / "results.jsonl")
    assert [one.arm for one in results] == [WITHOUT, WITH, WITH, WITHOUT]
    assert [one.ended for one in results] == [ANSWERED] * 4
    assert [bool(one.calls) for one in results] == [False, True, True, False]
    assert "the host called Aurora in 2 of 2 sessions with it" in second.stdout
    assert "say nothing about any real model" in second.stdout
    assert next(line.split() for line in second.stdout.splitlines() if "right file" in line)[2] == "2"


def test_a_comparison_stops_after_three_failures_and_a_dry_run_starts_nothing(
    compare: Callable[..., subprocess.CompletedProcess[str]], programs: Path, tmp_path: Path
) -> None:
    (programs / "node_modules" / ".bin" / "claude").write_text("#!/bin/sh\necho log in; exit 1\n", encoding="utf-8")

    planned = compare("--limit", "2", "--dry-run")
    assert planned.stdout.count("claude --print") == 4
    assert not (tmp_path / "results.jsonl").exists()

    stopped = compare("--limit", "10")
    assert stopped.returncode == 1
    assert "correct the cause, and run this again" in stopped.stderr
    ended = [one.ended for one in read_results(tmp_path / "results.jsonl")]
    assert ended == ["no answer, exit code 1: log in"] * 3
