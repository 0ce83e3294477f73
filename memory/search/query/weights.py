"""Weights of a question's words: lower for those that say little about its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .terms import ASKING_WORDS

if TYPE_CHECKING:
    from .model import Query

_WEAK_WEIGHT = 0.3


def weaken_words(query: Query, project: frozenset[str]) -> Query:
    """Lower the weights of asking verbs and of the project's own name, unless the query has nothing else.

    Args:
        query: a parsed query.
        project: the stemmed words of the project's name; most files of the project contain them.
    """
    weak = project | ASKING_WORDS if query.kind == "question" else project
    if weak.isdisjoint(query.words) or weak.issuperset(query.words):
        return query
    weights = {word: query.weights.get(word, 1.0) * (_WEAK_WEIGHT if word in weak else 1.0) for word in query.words}
    return query._replace(weights=weights)
