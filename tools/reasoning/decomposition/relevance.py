"""Relevance of subgoals: each shares a term with the question, or with the places that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.text import stem_word, stem_words, tokenize_text

from .model import DecompositionFault
from .places import list_mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
) -> list[DecompositionFault]:
    """Find subgoals of which none is about the query in meaning.

    Nothing is found when a description names code, as a name says more than its meaning.

    Args:
        query: the person's words.
        subgoals: the subgoals.
        least: cosine from which a subgoal is about the query.
        compare: computes for each of some texts the highest cosine with any of others.
    """
    if any(list_mentions(one.description) for one in subgoals):
        return []
    claimed = [" ".join((*one.covers, *one.where)) for one in subgoals]
    cosines = compare([one.description for one in subgoals], [query, *filter(None, claimed)])
    return [_to_fault(one) for one in subgoals] if any(cosines) and max(cosines) < least else []


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
