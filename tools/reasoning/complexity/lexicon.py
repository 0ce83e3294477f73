"""Lexicon: the word lists of the settings in the form that an assessment reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .phrases import PhraseMatcher

if TYPE_CHECKING:
    from .params import Params, WordGroup

OPENER, JOINER = "·opener", "·joiner"
MENTION, CREATION, MENTION_END, COMPOUND = "·mention", "·creation", "·mention end", "·compound"
"""Names of lists that are no groups; the middle dot keeps them apart from a workflow's groups."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists of the settings.

    Attributes:
        matcher: finder of all words and phrases.
        groups: name -> group, in the order of the settings.
        questions: names of the groups of question words.
        telling: names of the groups that tell of the kind of a query: questions and work.
        labels: name of a group -> that name and its kind.
        needed: name -> kinds and names of groups of which one must count too.
        main: those that count on their own, without another group.
    """

    matcher: PhraseMatcher
    groups: dict[str, WordGroup]
    questions: frozenset[str]
    telling: frozenset[str]
    labels: dict[str, tuple[str, str]]
    needed: dict[str, frozenset[str]]
    main: frozenset[str]


@lru_cache(maxsize=8)
def compile_lexicon(params: Params) -> Lexicon:
    """Compile the lexicon of the settings, once per settings."""
    telling = [group for group in params.words if group.kind in {"question", "words"}]
    return Lexicon(
        matcher=PhraseMatcher(
            (
                (OPENER, params.openers),
                (JOINER, params.structure.joiners),
                (MENTION, params.mentions),
                (CREATION, params.creations),
                (MENTION_END, params.mention_ends),
                (COMPOUND, params.compounds),
                *((group.name, group.words) for group in params.words),
            ),
            known=params.language.words,
        ),
        groups={group.name: group for group in params.words},
        questions=frozenset(group.name for group in params.words if group.kind == "question"),
        telling=frozenset(group.name for group in telling),
        labels={group.name: (group.name, group.kind) for group in params.words},
        needed={group.name: group.needed for group in params.words if group.beside},
        main=frozenset(group.name for group in telling if not group.beside),
    )
