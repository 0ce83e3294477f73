"""Groundedness of subgoals: each names a place that exists, or one that it creates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.text import list_terms, stem_word

from .model import DecompositionFault, ScoreAndFaults
from .places import is_slashed_word, list_mentions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.memory.search import FoundChunk

    from .model import Subgoal
    from .places import Places

_MAX_SHOWN = 3
"""Places listed in one message."""
_MAX_SHOWN_CHARS = 80


class GroundParams(StrictModel):
    """Settings of the groundedness score; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    most_places: int = Field(ge=1, le=200)
    read_chars: int = Field(ge=0, le=5_000)
    search_hits: int = Field(ge=1, le=50)
    good_chunk: float = Field(ge=0, le=1)
    creates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """Places of a subgoal: those of `where`, else those that its description mentions.

    Attributes:
        found: places that exist, or that the work creates.
        missing: places that do not exist.
        is_unknown: whether nothing can tell about the places that it names.
    """

    subgoal: Subgoal
    found: tuple[str, ...]
    missing: tuple[str, ...]
    is_unknown: bool


def list_places(subgoals: Sequence[Subgoal]) -> list[str]:
    """List the places that the subgoals name, the claimed ones first."""
    claimed = [place for one in subgoals for place in one.where]
    return [*claimed, *(name for one in subgoals if not one.where for name in list_mentions(one.description))]


def find_grounds(subgoals: Sequence[Subgoal], places: Places, query: str, rule: GroundParams) -> list[Ground]:
    """Find the places of each subgoal that exist, and those that do not."""
    creates = frozenset(stem_word(word) for word in rule.creates)
    return [_find_ground(one, places, query, creates) for one in subgoals]


def _find_ground(subgoal: Subgoal, places: Places, query: str, creates: frozenset[str]) -> Ground:
    named = subgoal.where or list_mentions(subgoal.description)
    found = tuple(place for place in named if places.get_status(place) in {"found", "new"})
    missing = tuple(place for place in named if places.get_status(place) == "missing")
    is_new = not creates.isdisjoint(list_terms(subgoal.description))
    if not subgoal.where and not is_new and (lost := tuple(place for place in missing if place in places.no_members)):
        missing, found = lost, tuple(place for place in found if place in places.nodes and places.nodes[place].symbol)
    elif not subgoal.where and (found or is_new):
        missing = ()  # a description may name what it creates, and things of other projects
    if not subgoal.where:
        missing = tuple(place for place in missing if place not in query and not is_slashed_word(place))
    is_unknown = any(places.get_status(place) == "unknown" for place in named) and not found and not missing
    return Ground(subgoal, found, missing, is_unknown)


def score_groundedness(
    grounds: Sequence[Ground], chunks: Sequence[FoundChunk], rule: GroundParams, *, neutral: float, is_quoted: bool
) -> ScoreAndFaults:
    """Score the share of subgoals with a place; a subgoal that only needs others' results needs none.

    Args:
        grounds: the places of each subgoal.
        chunks: retrieved chunks, for the remedy.
        rule: settings of the score.
        neutral: score when nothing is named, and there is nothing to name or need not be.
        is_quoted: whether the quotes of all subgoals cover the question, so that places may be left out.
    """
    faults = _find_place_faults(grounds, chunks)
    faulty = {fault.subgoal for fault in faults}
    judged = [one for one in grounds if one.found or one.subgoal.id in faulty or _needs_place(one)] or grounds
    grounded = [one for one in judged if one.found]
    if not grounded and not faults and (is_quoted or not any(one.score >= rule.good_chunk for one in chunks)):
        return neutral, []
    score = min(1.0, len(grounded) / len(judged) / rule.share)
    if score < 1:
        floating = [one for one in judged if not one.found and not one.missing]
        faults += [_to_floating_fault(one, chunks, fatal=not grounded) for one in floating]
    return score, faults


def _find_place_faults(grounds: Sequence[Ground], chunks: Sequence[FoundChunk]) -> list[DecompositionFault]:
    """Find places that do not exist; fatal where all of `where` is missing, or at half of the subgoals."""
    lost = [one for one in grounds if one.missing and not one.found]
    is_half = 2 * len(lost) >= len(grounds)
    return [
        _to_place_fault(one, chunks, fatal=one in lost and (is_half or bool(one.subgoal.where)))
        for one in grounds
        if one.missing
    ]


def _needs_place(ground: Ground) -> bool:
    return not ground.is_unknown and not ground.subgoal.depends_on


def _to_place_fault(ground: Ground, chunks: Sequence[FoundChunk], *, fatal: bool) -> DecompositionFault:
    name = ground.subgoal.id
    lost = ", ".join(f'"{_shorten(place)}"' for place in ground.missing[:_MAX_SHOWN])
    message = (
        f'subgoal "{name}" names {lost}, which the project does not have: '
        f'name a place that exists{_suggest(chunks)}, or write "new: PATH" for what it creates'
    )
    return DecompositionFault(code="unknown_place", fatal=fatal, subgoal=name, message=message)


def _to_floating_fault(ground: Ground, chunks: Sequence[FoundChunk], *, fatal: bool) -> DecompositionFault:
    name = ground.subgoal.id
    message = f'subgoal "{name}" names no file or symbol: list them in where{_suggest(chunks)}'
    return DecompositionFault(code="ungrounded", fatal=fatal, subgoal=name, message=message)


def _suggest(chunks: Sequence[FoundChunk]) -> str:
    paths = list(dict.fromkeys(_shorten(chunk.path) for chunk in chunks if chunk.path))[:2]
    return f" (as {', '.join(chr(34) + path + chr(34) for path in paths)})" if paths else ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
