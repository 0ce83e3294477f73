"""The four scores of a decomposition, each from 0 to 1, each with the faults that lowered it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.text import Terms, extract_terms, normalize_name, stem_words

from .parts import split_query

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurora.tools.memory import FoundChunk

    from .model import Subgoal, SubgoalRange

FaultCode = Literal[
    "missing", "duplicate_id", "unknown_dependency", "cycle", "too_few", "too_many", "ungrounded", "unknown_agent"
]


class DecompositionFault(StrictModel):
    """One thing wrong with a decomposition; with a `fatal` one nobody can work, whatever the score."""

    code: FaultCode
    fatal: bool
    subgoal: str | None
    message: str


_MAX_NAMED = 12
"""Missing words in one message; more would not be read."""

ScoreAndFaults = tuple[float, list[DecompositionFault]]


class CoverageParams(StrictModel):
    """How completeness is measured; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    part_share: float = Field(gt=0, le=1)
    name_weight: float = Field(gt=0)
    joiners: tuple[str, ...]
    part_words: int = Field(ge=1)
    most_parts: int = Field(ge=1)


def score_completeness(
    query: str, said: str, ignore: frozenset[str], rule: CoverageParams, neutral: float
) -> ScoreAndFaults:
    """Whether the goal and the subgoals speak of what the query names, in every part of it.

    The part that is covered least counts, so that half a question left out is not hidden by the other half.

    Args:
        query: the person's words.
        said: the goal and all descriptions.
        ignore: words that name nothing.
        rule: what counts as covered.
        neutral: the score of a query that names nothing.
    """
    named = extract_terms(query, ignore)
    spoken, lowered = stem_words(said), said.lower()
    lost_names = {name for name in named.names if name not in lowered and not stem_words(name) <= spoken}
    lost_words = {key: word for key, word in named.words.items() if key not in spoken}
    if not named.words and not named.names:
        return neutral, []

    def score_coverage(part: Terms, enough: float) -> float:
        whole = len(part.words) + rule.name_weight * len(part.names)
        lost = len(lost_words.keys() & part.words) + rule.name_weight * len(lost_names.intersection(part.names))
        return min(1.0, (whole - lost) / whole / enough)

    apart = split_query(query, rule.joiners, ignore, rule.part_words)
    scores = [score_coverage(part, rule.part_share) for part in (apart if len(apart) <= rule.most_parts else ())]
    score = min([score_coverage(named, rule.share), *scores])
    if score >= 1 and not lost_names:
        return 1.0, []
    return score, [_to_missing_fault([*(name for name in named.names if name in lost_names), *lost_words.values()])]


def score_consistency(subgoals: Sequence[Subgoal], span: SubgoalRange, count_score: float) -> ScoreAndFaults:
    """Whether the subgoals can be worked through: unique ids, known dependencies, no circle, a fitting number.

    Args:
        subgoals: the subgoals.
        span: how many there should be.
        count_score: the score when only their number is wrong.
    """
    if faults := find_order_faults(subgoals):
        return 0.0, faults
    count = len(subgoals)
    if span.least <= count <= span.most:
        return 1.0, []
    code: FaultCode = "too_few" if count < span.least else "too_many"
    message = f"{count} subgoals; {span.least} to {span.most} fit this query"
    return count_score, [DecompositionFault(code=code, fatal=False, subgoal=None, message=message)]


def find_order_faults(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """What keeps the subgoals from being worked through at all; every fault here is fatal."""
    return [*_find_duplicates(subgoals), *_find_unknown_dependencies(subgoals), *_find_cycles(subgoals)]


def score_groundedness(
    subgoals: Sequence[Subgoal], chunks: Sequence[FoundChunk], *, ignore: frozenset[str], share: float, common: int
) -> float:
    """The share of subgoals that speak of what was retrieved: a path, a symbol, or words of a chunk.

    Args:
        subgoals: the subgoals.
        chunks: what was retrieved; at least one.
        ignore: words that name nothing.
        share: the share of subgoals from which the decomposition is fully grounded.
        common: how many words a subgoal must have in common with the chunks.
    """
    names = {normalize_name(name) for chunk in chunks for name in _list_names(chunk)}
    words = stem_words(" ".join(f"{chunk.path or ''} {chunk.symbol} {chunk.preview}" for chunk in chunks))

    def is_grounded(subgoal: Subgoal) -> bool:
        named = extract_terms(subgoal.description, ignore)
        return any(name in names for name in named.names) or len(words & named.words.keys()) >= common

    return min(1.0, sum(is_grounded(one) for one in subgoals) / len(subgoals) / share)


def score_routability(subgoals: Sequence[Subgoal], agents: Collection[str]) -> ScoreAndFaults:
    """The share of the named agents that exist; 1 when none is named."""
    named = [one for one in subgoals if one.agent]
    known = {name.casefold() for name in agents}
    lost = [one for one in named if (one.agent or "").casefold() not in known]
    choices = ", ".join(f'"{name}"' for name in sorted(agents)[:10]) or "none: leave it null"
    faults = [
        DecompositionFault(
            code="unknown_agent",
            fatal=False,
            subgoal=one.id,
            message=f'subgoal "{one.id}" names the agent "{one.agent}", which does not exist (there is {choices})',
        )
        for one in lost
    ]
    return (1 - len(lost) / len(named) if named else 1.0), faults


def _to_missing_fault(lost: Sequence[str]) -> DecompositionFault:
    shown = ", ".join(f'"{word}"' for word in lost[:_MAX_NAMED])
    return DecompositionFault(code="missing", fatal=False, subgoal=None, message=f"no subgoal speaks of {shown}")


def _list_names(chunk: FoundChunk) -> list[str]:
    path = chunk.path or ""
    names = [path, path.rpartition("/")[2], chunk.symbol, chunk.symbol.rpartition(".")[2], chunk.id]
    return [name for name in names if name]


def _find_duplicates(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = [one.id for one in subgoals]
    return [
        DecompositionFault(
            code="duplicate_id", fatal=True, subgoal=name, message=f'{ids.count(name)} subgoals have the id "{name}"'
        )
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def _find_unknown_dependencies(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = {one.id for one in subgoals}
    return [
        DecompositionFault(
            code="unknown_dependency",
            fatal=True,
            subgoal=one.id,
            message=f'subgoal "{one.id}" depends on "{other}", which does not exist',
        )
        for one in subgoals
        for other in one.depends_on
        if other not in ids
    ]


def _find_cycles(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """The subgoals that wait for each other, after all that can be done in some order are taken away."""
    ids = {one.id for one in subgoals}
    waiting = {one.id: set(one.depends_on) & ids for one in subgoals}
    while ready := [name for name, needs in waiting.items() if not needs & waiting.keys()]:
        for name in ready:
            del waiting[name]
    if not waiting:
        return []
    ring = ", ".join(f'"{name}"' for name in sorted(waiting))
    message = f"{ring} wait for each other" if len(waiting) > 1 else f"{ring} depends on itself"
    return [DecompositionFault(code="cycle", fatal=True, subgoal=min(waiting), message=message)]
