"""Four scores of a decomposition, each from 0 to 1, with the faults that lower it."""

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
    """Fault of a decomposition; a `fatal` one fails it, whatever the score."""

    code: FaultCode
    fatal: bool
    subgoal: str | None
    message: str


_MAX_NAMED = 12
"""Missing words listed in one message."""

ScoreAndFaults = tuple[float, list[DecompositionFault]]


class CoverageParams(StrictModel):
    """Settings of the completeness score; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    part_share: float = Field(gt=0, le=1)
    name_weight: float = Field(gt=0)
    joiners: tuple[str, ...]
    part_words: int = Field(ge=1)
    most_parts: int = Field(ge=1)


def score_completeness(
    query: str, said: str, ignore: frozenset[str], rule: CoverageParams, neutral: float
) -> ScoreAndFaults:
    """Score how far the goal and the subgoals contain the query's terms, in every part of it.

    The part with the lowest coverage counts, so that a missing half of a question is not hidden by the other half.

    Args:
        query: the person's words.
        said: text of the goal and all descriptions.
        ignore: words that are no terms.
        rule: settings of the coverage.
        neutral: score of a query without terms.
    """
    query_terms = extract_terms(query, ignore)
    if not query_terms.words and not query_terms.names:
        return neutral, []
    stems, lowered = stem_words(said), said.lower()
    missing_names = [name for name in query_terms.names if name not in lowered and not stem_words(name) <= stems]
    missing_words = {stem: word for stem, word in query_terms.words.items() if stem not in stems}

    def score_coverage(part: Terms, enough: float) -> float:
        whole = len(part.words) + rule.name_weight * len(part.names)
        missing = len(missing_words.keys() & part.words) + rule.name_weight * len({*missing_names} & {*part.names})
        return min(1.0, (whole - missing) / whole / enough)

    parts = split_query(query, rule.joiners, ignore, rule.part_words)
    scores = [score_coverage(query_terms, rule.share)]
    if len(parts) <= rule.most_parts:
        scores += [score_coverage(part, rule.part_share) for part in parts]
    score = min(scores)
    if score >= 1 and not missing_names:
        return 1.0, []
    return score, [_to_missing_fault([*missing_names, *missing_words.values()])]


def score_consistency(subgoals: Sequence[Subgoal], span: SubgoalRange, count_score: float) -> ScoreAndFaults:
    """Score the order of the subgoals: unique ids, known dependencies, no cycle, a fitting number.

    Args:
        subgoals: the subgoals.
        span: allowed number of subgoals.
        count_score: score when only their number is wrong.
    """
    if faults := find_order_faults(subgoals):
        return 0.0, faults
    count = len(subgoals)
    if span.least <= count <= span.most:
        return 1.0, []
    code: FaultCode = "too_few" if count < span.least else "too_many"
    message = f"{count} subgoals; expected {span.least} to {span.most} for this query"
    return count_score, [DecompositionFault(code=code, fatal=False, subgoal=None, message=message)]


def find_order_faults(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """Find faults that make every order impossible; all of them are fatal."""
    return [*_find_duplicates(subgoals), *_find_unknown_dependencies(subgoals), *_find_cycles(subgoals)]


def score_groundedness(
    subgoals: Sequence[Subgoal], chunks: Sequence[FoundChunk], *, ignore: frozenset[str], share: float, common: int
) -> float:
    """Score the share of subgoals that name a path, a symbol or words of a retrieved chunk.

    Args:
        subgoals: the subgoals.
        chunks: retrieved chunks; at least one.
        ignore: words that are no terms.
        share: share of grounded subgoals that gives the full score.
        common: number of words that a subgoal and the chunks must have in common.
    """
    names = {normalize_name(name) for chunk in chunks for name in _list_names(chunk)}
    words = stem_words(" ".join(f"{chunk.path or ''} {chunk.symbol} {chunk.preview}" for chunk in chunks))

    def is_grounded(subgoal: Subgoal) -> bool:
        named = extract_terms(subgoal.description, ignore)
        return any(name in names for name in named.names) or len(words & named.words.keys()) >= common

    return min(1.0, sum(is_grounded(one) for one in subgoals) / len(subgoals) / share)


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


def _to_missing_fault(lost: Sequence[str]) -> DecompositionFault:
    shown = ", ".join(f'"{word}"' for word in lost[:_MAX_NAMED])
    return DecompositionFault(code="missing", fatal=False, subgoal=None, message=f"no subgoal mentions {shown}")


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
    """Find subgoals that wait for each other, by removing all that have an order."""
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
