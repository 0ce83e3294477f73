"""Four scores of a decomposition, each from 0 to 1, with the faults that lower it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.text import Terms, list_terms, stem_words

from .model import DecompositionFault, ScoreAndFaults
from .pieces import has_abandoned_piece
from .question import match_quote

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .model import Subgoal
    from .question import CommonWords, Question

_MAX_NAMED = 12
"""Missing words listed in one message."""
_MAX_QUOTE_CHARS = 60


class CoverageParams(StrictModel):
    """Settings of the completeness score; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    part_share: float = Field(gt=0, le=1)
    piece_share: float = Field(default=0, ge=0, le=1)
    abstract: tuple[str, ...] = ()
    quote_share: float = Field(gt=0, le=1)
    name_weight: float = Field(gt=0)
    joiners: tuple[str, ...]
    part_words: int = Field(ge=1)
    most_parts: int = Field(ge=1)


def score_completeness(
    question: Question, subgoals: Sequence[Subgoal], shown: str, words: CommonWords, rule: CoverageParams
) -> ScoreAndFaults:
    """Score how far the subgoals cover the question's terms, in every part of it.

    A term is covered by a quote of it in `covers` and by the words of the descriptions. Without any quote, the parts
    of the names in the descriptions count too, and `shown`. The part with the lowest coverage counts, so that a
    missing half of a question is not hidden by the other half.

    Args:
        question: the question, with at least one term.
        subgoals: the subgoals.
        shown: the places and their text.
        words: words that are no terms.
        rule: settings of the coverage.
    """
    said = " ".join(_drop_verb(one.description, question, words) for one in subgoals)
    quoted, faults = _credit_quotes(question, subgoals, words, rule)
    covered = quoted
    if any(one.covers for one in subgoals):
        covered = covered.union(list_terms(said, words.ignore))
    else:
        covered = stem_words(f"{said} {shown}")
    lowered = said.lower()
    missing_names = [
        name
        for name in question.terms.names
        if name not in covered and name not in lowered and not stem_words(name) <= covered
    ]
    missing_words = {stem: word for stem, word in question.terms.words.items() if stem not in covered}

    def score_coverage(part: Terms, enough: float) -> float:
        whole = len(part.words) + rule.name_weight * len(part.names)
        missing = len(missing_words.keys() & part.words) + rule.name_weight * len({*missing_names} & {*part.names})
        return min(1.0, (whole - missing) / whole / enough)

    scores = [score_coverage(question.terms, rule.share)]
    if len(question.parts) <= rule.most_parts:
        scores += [score_coverage(part, rule.part_share) for part in _list_parts(question, subgoals)]
    score = min(scores)
    known = covered.union(name for name in question.terms.names if name not in missing_names)
    fatal = _can_judge_pieces(question, subgoals, quoted, rule)
    fatal = fatal and has_abandoned_piece(question, quoted, known, words, rule)
    if score >= 1 and not missing_names and not fatal:
        return 1.0, faults
    return score, [*faults, _to_missing_fault([*missing_names, *missing_words.values()], fatal=fatal)]


def _list_parts(question: Question, subgoals: Sequence[Subgoal]) -> Sequence[Terms]:
    """List the parts of a question, each without the terms of others where the subgoals make claims.

    A term that two parts have may be covered for the sake of one of them. A part of such terms only keeps them.
    """
    if not any(one.covers for one in subgoals):
        return question.parts
    counts = Counter(term for part in question.parts for term in (*part.words, *part.names))
    shared = frozenset(term for term, count in counts.items() if count > 1)
    own = [_drop_terms(part, shared) for part in question.parts]
    return [less if less.words or less.names else part for part, less in zip(question.parts, own, strict=True)]


def _drop_terms(part: Terms, dropped: frozenset[str]) -> Terms:
    words = {stem: word for stem, word in part.words.items() if stem not in dropped}
    return Terms(words, tuple(name for name in part.names if name not in dropped))


def _can_judge_pieces(
    question: Question, subgoals: Sequence[Subgoal], quoted: Collection[str], rule: CoverageParams
) -> bool:
    """Return whether missing words mean a missing part: not if each part has a subgoal in own words."""
    most = sum(not one.depends_on for one in subgoals)
    return len(question.parts) <= rule.most_parts and (bool(quoted) or most < len(question.pieces))


def score_routability(subgoals: Sequence[Subgoal], agents: Collection[str]) -> ScoreAndFaults:
    """Score the share of the named agents that exist; 1 when no agent is named."""
    named = [one for one in subgoals if one.agent]
    known = {name.casefold() for name in agents}
    lost = [one for one in named if (one.agent or "").casefold() not in known]
    choices = ", ".join(f'"{name}"' for name in sorted(agents)[:10]) or "none; leave agent null"
    faults = [
        DecompositionFault(
            code="unknown_agent",
            fatal=False,
            subgoal=one.id,
            message=f'subgoal "{one.id}" names the agent "{one.agent}", which does not exist (available: {choices})',
        )
        for one in lost
    ]
    return (1 - len(lost) / len(named) if named else 1.0), faults


def _drop_verb(description: str, question: Question, words: CommonWords) -> str:
    """Drop the first verb unless the question contains it: "Read …" does not cover "reading"."""
    first, _, rest = description.strip().partition(" ")
    verb = first.lower()
    return rest if verb in words.verbs and verb not in question.terms.words.values() else description


def _credit_quotes(
    question: Question, subgoals: Sequence[Subgoal], words: CommonWords, rule: CoverageParams
) -> tuple[frozenset[str], list[DecompositionFault]]:
    """Collect the terms that quotes cover; a quote of nearly the whole question claims nothing."""
    whole = frozenset(question.order)
    covered: set[str] = set()
    faults = []
    for one in subgoals:
        for quote in one.covers:
            terms = match_quote(quote, question, words.ignore)
            if terms is None:
                faults.append(_to_quote_fault(one, quote))
            elif len(question.parts) == 1 or len(terms) <= rule.quote_share * len(whole):
                covered |= terms
    return frozenset(covered), faults


def _to_quote_fault(subgoal: Subgoal, quote: str) -> DecompositionFault:
    shown = quote if len(quote) <= _MAX_QUOTE_CHARS else f"{quote[:_MAX_QUOTE_CHARS]}…"
    message = f'subgoal "{subgoal.id}" covers "{shown}", which the query does not say: quote words of the query'
    return DecompositionFault(code="not_quoted", fatal=False, subgoal=subgoal.id, message=message)


def _to_missing_fault(lost: Sequence[str], *, fatal: bool) -> DecompositionFault:
    shown = ", ".join(f'"{word}"' for word in lost[:_MAX_NAMED])
    message = f"no subgoal covers {shown}: quote them in the covers of the subgoal that answers them, or add one"
    return DecompositionFault(code="missing", fatal=fatal, subgoal=None, message=message)
