"""Relevance of subgoals: each shares a term with the question, or with the places that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.text import list_terms, stem_word, stem_words, tokenize_text

from .model import DecompositionFault
from .places import is_slashed_word, list_mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from .model import Subgoal
    from .question import CommonWords, Question


_MIN_CONTAINED = 5
"""Letters of a term that a longer name may contain, as "subscribe" in "handleUnsubscribe"."""


def find_unrelated(
    question: Question,
    subgoals: Sequence[Subgoal],
    shown: str,
    words: CommonWords,
    find_known: Callable[[Sequence[str]], frozenset[str]],
) -> list[DecompositionFault]:
    """Find subgoals of another topic, though their claims are true.

    The description of such a subgoal shares no term with the question and its places, and the project does not
    contain half of its terms. A subgoal without claims, or that depends on others, is not judged. Nothing is found
    unless all of two or more judged subgoals are such: a single one may be in an expert's own words.

    Args:
        question: the question.
        subgoals: the subgoals.
        shown: the names of all places and the text of their definitions.
        words: words that are no terms, and verbs.
        find_known: finds the words that the project contains.
    """
    judged = [one for one in subgoals if (one.covers or one.where) and not one.depends_on]
    near = (*question.vocabulary, *stem_words(shown), *tokenize_text(shown).words)
    is_lost = len(judged) > 1 and all(_is_unrelated(one, near, words, find_known) for one in judged)
    return [_to_fault(one) for one in judged] if is_lost else []


def find_other_topics(
    query: str,
    subgoals: Sequence[Subgoal],
    least: float,
    compare: Callable[[Sequence[str], Sequence[str]], list[float]],
    is_known: Callable[[Subgoal], bool],
) -> list[DecompositionFault]:
    """Find subgoals of which none is about the query in meaning.

    Nothing is found when a description names code, as a name says more than its meaning, nor when all say it in words
    of the project at places that the query is about.

    Args:
        query: the person's words.
        subgoals: the subgoals.
        least: cosine from which a subgoal is about the query.
        compare: computes for each of some texts the highest cosine with any of others.
        is_known: returns whether a subgoal is in words of the project, at a place that the query is about.
    """
    if all(map(is_known, subgoals)) or any(list_mentions(one.description) for one in subgoals):
        return []
    claimed = [" ".join((*one.covers, *one.where)) for one in subgoals]
    cosines = compare([one.description for one in subgoals], [query, *filter(None, claimed)])
    is_other = any(cosines) and max(cosines) < least
    return [_to_topic_fault(one) for one in subgoals] if is_other else []


def is_at_home(
    subgoal: Subgoal, question: Question, words: CommonWords, find_known: Callable[[Sequence[str]], frozenset[str]]
) -> bool:
    """Return whether a place is near the question, and most words are the project's."""
    spoken = [word for word in tokenize_text(subgoal.description).words if word not in words.ignore]
    said = [word for word in spoken if word not in words.verbs]
    is_near = not question.asked.isdisjoint(stem_words(" ".join(subgoal.where)))
    return is_near and 2 * len(find_known(said)) > len(said)


def find_fillers(subgoals: Sequence[Subgoal], words: CommonWords, generic: Collection[str]) -> list[DecompositionFault]:
    """Find subgoals that say only that work is done, whatever their place: "Analyze the findings".

    One that depends on others and names no place may join their results. The faults are fatal when half of the other
    subgoals are such.

    Args:
        subgoals: the subgoals.
        words: words that are no terms, and verbs.
        generic: stems of words that fit any work on any project, without things that the question requests.
    """
    empty = [one for one in subgoals if _is_filler(one, words, generic)]
    judged = [one for one in subgoals if one not in empty or one.where or not one.depends_on] or subgoals
    found = [one for one in empty if one in judged]
    if 2 * len(found) < len(judged):
        return []
    return [_to_filler_fault(one) for one in empty]


def _is_filler(subgoal: Subgoal, words: CommonWords, generic: Collection[str]) -> bool:
    if any(not is_slashed_word(name) for name in list_mentions(subgoal.description)):
        return False
    return all(term in generic for term in list_terms(subgoal.description, words.ignore))


def _to_filler_fault(subgoal: Subgoal) -> DecompositionFault:
    message = (
        f'subgoal "{subgoal.id}" fits any question: say which behaviour, value or definition it reads or changes, '
        "in words of the query or of the code"
    )
    return DecompositionFault(code="empty", fatal=True, subgoal=subgoal.id, message=message)


def _is_unrelated(
    subgoal: Subgoal, near: Sequence[str], words: CommonWords, find_known: Callable[[Sequence[str]], frozenset[str]]
) -> bool:
    spoken = [word for word in tokenize_text(subgoal.description).words if word not in words.ignore]
    said = {stem_word(word): word for word in spoken[1:] if word not in words.verbs}
    if not said:
        return False
    if any(_is_near(stem, near) for stem in said):
        return False
    return 2 * len(find_known(list(said.values()))) < len(said)


def _is_near(stem: str, near: Sequence[str]) -> bool:
    return stem in near or (len(stem) >= _MIN_CONTAINED and any(stem in other for other in near))


def _to_fault(subgoal: Subgoal) -> DecompositionFault:
    message = (
        f'subgoal "{subgoal.id}" shares no word with the query or with the places it names: '
        "say what it reads or changes there, in words of the query or of the code"
    )
    return DecompositionFault(code="unrelated", fatal=True, subgoal=subgoal.id, message=message)


def _to_topic_fault(subgoal: Subgoal) -> DecompositionFault:
    message = (
        f'subgoal "{subgoal.id}" is about another topic than the query and its own claims: '
        "say which part of the query it answers, and name the code that it reads or changes"
    )
    return DecompositionFault(code="unrelated", fatal=True, subgoal=subgoal.id, message=message)
