"""The benchmark of facts keeps half of them back and asks in other words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from facts import KINDS, PARTS, read_facts

from aurora.memory.search.query import parse_query

SET = Path(__file__).resolve().parents[2] / "bench" / "facts.tsv"


def test_half_of_the_facts_are_held_back_and_each_has_a_question_of_each_kind() -> None:
    facts = read_facts(SET)

    assert len(facts) >= 120
    assert [sum(fact.part == part for fact in facts) for part in PARTS] == [60, 60]
    assert all(len(fact.questions) == len(KINDS) for fact in facts)
    assert len({fact.text for fact in facts}) == len(facts)


def test_the_first_question_shares_at_most_one_word_with_its_fact() -> None:
    for fact in read_facts(SET):
        shared = set(parse_query(fact.questions[0]).words) & set(parse_query(fact.text).words)
        assert len(shared) <= 1, (fact, shared)


BENCH = SET.parent


@pytest.mark.parametrize(
    ("program", "content", "message"),
    [
        ("facts.py", "a fact without a question\n", ":1: expected a fact, a tab"),
        ("quality.py", '{"query": "q"}\n', ":1: without repo, url"),
        ("quality.py", "", "could be asked: give a folder"),
    ],
)
def test_a_labelled_set_of_another_form_is_refused_with_its_place(
    tmp_path: Path, program: str, content: str, message: str
) -> None:
    given = tmp_path / "labels"
    given.write_text(content, encoding="utf-8")
    command = [sys.executable, str(BENCH / program), str(given)]
    sources = [str(tmp_path / "sources")] if program == "quality.py" else []

    done = subprocess.run([*command, *sources], capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_set_of_facts_is_measured_and_a_loss_against_its_history_is_told(tmp_path: Path) -> None:
    given, history = tmp_path / "facts.tsv", tmp_path / "history.jsonl"
    given.write_text("Tea is served at four.\twhen is tea\nMilk is cold.\tis the milk cold\n", encoding="utf-8")
    figures = {"aurora, other words, tuned": 1.1, "aurora, other words, held back": 1.0}
    sets = [{"set": name, "figures": figures} for name in ("facts", "facts-semantic")]
    history.write_text("".join(json.dumps(one) + "\n" for one in sets), encoding="utf-8")

    command = [sys.executable, str(BENCH / "facts.py"), str(given), "--history", str(history)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    assert "| aurora | 1.000 | 1.000 | 1.000 | 0 |" in done.stdout
    assert done.stdout.splitlines()[-1] == "WORSE: aurora, other words, tuned 1.100 -> 1.000"
    assert len(history.read_text(encoding="utf-8").splitlines()) == 3
