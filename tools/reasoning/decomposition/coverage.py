"""Completeness of a decomposition: each part of a question is the work of a subgoal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.text import list_terms, stem_words

from .missing import PartCoverage, cut_verb
from .model import DecompositionFault, ScoreAndFaults
from .question import is_covered, match_quote

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurora.tools.text import Terms

    from .missing import Compare, CoverageParams, Work
    from .model import Subgoal
    from .question import CommonWords, Question

_MAX_NAMED = 4
"""Parts listed in one message."""
_MAX_QUOTE_CHARS = 60


def score_completeness(
    question: Question, works: Sequence[Work], words: CommonWords, rule: CoverageParams, compare: Compare
) -> ScoreAndFaults:
    """Score how many parts of a question are the work of a subgoal.

    Words prove that a part is covered, and never that it is not, because a subgoal may use others. A part is missing
    when no quote and hardly a word of any subgoal is about it, and no subgoal is left that may answer it in words of
    its own.

    Args:
        question: the question, with at least one term.
        works: the subgoals.
        words: words that are no terms, and verbs.
        rule: settings of the coverage.
        compare: computes for each of some texts the highest cosine with any of others.
    """
    places, faults = _credit_quotes(question, [work.subgoal for work in works], words, rule)
    quoted = frozenset(question.order[at] for at in places)
    covered = _collect_covered(question, works, quoted, words)
    parts = PartCoverage(question, works, quoted, places, covered, words, rule, compare)
    if missing := parts.find_missing():
        whole = max(len(missing), len(parts.judged))
        return 1 - len(missing) / whole, [*faults, _to_missing_fault([part.text for part in missing])]
    if parts.has_too_many and (lost := _list_lost(question.asked_terms, covered)):
        share = parts.compute_share(question.asked_terms) / rule.share
        return min(1.0, share), [*faults, _to_missing_fault(lost)] if share < 1 else faults
    return 1.0, faults


def _collect_covered(
    question: Question, works: Sequence[Work], quoted: Collection[str], words: CommonWords
) -> frozenset[str]:
    """Collect the terms that the subgoals cover.

    With quotes, these are the terms of quotes and descriptions; without, also those of places and of parts of names.
    """
    said = " ".join(_drop_verb(work.subgoal.description, question, words) for work in works)
    if any(work.subgoal.covers for work in works):
        return frozenset((*quoted, *list_terms(said, words.ignore), *_collect_unquoted(question, works)))
    is_alone = sum(work.is_grounded for work in works) < 2  # noqa: PLR2004 - one subgoal for the whole question
    shown = " ".join(work.names if is_alone else f"{work.names} {work.text}" for work in works)
    lowered = said.lower()
    return stem_words(f"{said} {shown}").union(name for name in question.terms.names if name in lowered)


def _collect_unquoted(question: Question, works: Sequence[Work]) -> frozenset[str]:
    """Collect what subgoals without quotes are about, and names of the question that are places."""
    silent = [work for work in works if not work.subgoal.covers]
    text = " ".join(f"{work.subgoal.description} {work.names} {work.text}" for work in silent)
    places = " ".join(work.names for work in works).lower()
    return stem_words(text).union(name for name in question.terms.names if name in places)


def _list_lost(terms: Terms, covered: Collection[str]) -> list[str]:
    names = [name for name in terms.names if not is_covered(name, covered)]
    return [*names, *(word for stem, word in terms.words.items() if not is_covered(stem, covered))]


def _drop_verb(description: str, question: Question, words: CommonWords) -> str:
    """Drop the first verb unless the question contains it: "Read …" does not cover "reading"."""
    first = description.strip().partition(" ")[0].lower()
    return description if first in question.terms.words.values() else cut_verb(description, words)


def _credit_quotes(
    question: Question, subgoals: Sequence[Subgoal], words: CommonWords, rule: CoverageParams
) -> tuple[frozenset[int], list[DecompositionFault]]:
    """Collect the positions that quotes cover; a quote of nearly the whole question claims nothing."""
    covered: set[int] = set()
    most = rule.quote_share * len(set(question.order))
    faults = []
    for one in subgoals:
        for quote in one.covers:
            places = match_quote(quote, question, words.ignore)
            if places is None:
                faults.append(_to_quote_fault(one, quote))
            elif len(question.parts) == 1 or len({question.order[at] for at in places}) <= most:
                covered |= places
    return frozenset(covered), faults


def _to_quote_fault(subgoal: Subgoal, quote: str) -> DecompositionFault:
    said = f'subgoal "{subgoal.id}" covers "{_shorten(quote)}", which the query does not say'
    message = f"{said}: quote words of the query"
    return DecompositionFault(code="not_quoted", fatal=False, subgoal=subgoal.id, message=message)


def _to_missing_fault(lost: Sequence[str]) -> DecompositionFault:
    shown = ", ".join(f'"{_shorten(text)}"' for text in lost[:_MAX_NAMED])
    more = f" and {len(lost) - _MAX_NAMED} more parts of the query" if len(lost) > _MAX_NAMED else ""
    message = f"no subgoal covers {shown}{more}: quote it in the covers of the subgoal that answers it, or add one"
    return DecompositionFault(code="missing", fatal=True, subgoal=None, message=message)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUOTE_CHARS else f"{text[:_MAX_QUOTE_CHARS]}…"
