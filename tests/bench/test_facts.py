"""The benchmark of facts keeps half of them back and asks in other words."""

from __future__ import annotations

from pathlib import Path

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
