"""`context.retrieve`: chunks of the memory on a query, budgeted by complexity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import PastQuestions
from aurora.memory.search import shorten_excerpt
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.memory.hits import IndexState, read_index_state, record_uses, search_fresh
from aurora.tools.memory.search import FoundChunk
from aurora.tools.reasoning.complexity.lexicon import Level

from .evidence import NO_EVIDENCE, Evidence, EvidenceLimits, RankedChunk, build_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Hit
    from aurora.tools.core import Context

_MOST_HITS = 50
"""Hits of a second search, which makes up for dropped ones."""


class Budget(StrictModel):
    """Number of chunks for a query of each complexity."""

    SIMPLE: int = Field(ge=1, le=50)
    MEDIUM: int = Field(ge=1, le=50)
    COMPLEX: int = Field(ge=1, le=50)
    CRITICAL: int = Field(ge=1, le=50)


class EvidenceByLevel(StrictModel):
    """Limits of the evidence for a query of each complexity; none where they are left out."""

    SIMPLE: EvidenceLimits = NO_EVIDENCE
    MEDIUM: EvidenceLimits = NO_EVIDENCE
    COMPLEX: EvidenceLimits = NO_EVIDENCE
    CRITICAL: EvidenceLimits = NO_EVIDENCE


class Params(StrictModel):
    """All settings of `context.retrieve`; see the comments in the workflow."""

    budget: Budget
    preview_chars: int = Field(ge=0, le=400)
    evidence: EvidenceByLevel = EvidenceByLevel()
    doubtful_below: float = Field(ge=0, le=1)
    index_state: bool = False
    """Return `index`; off by default, because older output schemas reject it."""


class RetrieveInput(StrictModel):
    """Query with its complexity."""

    query: str = Field(min_length=1, max_length=8000)
    complexity: Level = "MEDIUM"


class RetrievedContext(CompactModel):
    """Pointers to chunks, best first, and excerpts of the best, with a confidence (0..1) and a note."""

    chunks: tuple[FoundChunk, ...]
    confidence: float
    total: int
    note: str
    evidence: tuple[Evidence, ...] = ()
    index: IndexState | None = None


def retrieve_context(given: RetrieveInput, context: Context) -> RetrievedContext:
    """Search the memory for the query."""
    params: Params = context.params
    limit: int = getattr(params.budget, given.complexity)
    found = search_fresh(given.query, context, limit=limit)
    hits = drop_repeated_answers(found.hits)
    if len(hits) < len(found.hits):
        more = search_fresh(given.query, context, limit=min(_MOST_HITS, 2 * limit))
        hits = drop_repeated_answers(more.hits)[:limit]
    chunks = tuple(_to_pointer(hit, params.preview_chars) for hit in hits)
    record_uses((chunk.id for chunk in chunks), context)
    note = found.note
    if not note and not chunks:
        note = "The memory contains no chunk that fits this query."
    elif not note and found.confidence < params.doubtful_below:
        note = "These chunks fit the query poorly; they may be irrelevant."
    limits: EvidenceLimits = getattr(params.evidence, given.complexity)
    return RetrievedContext(
        chunks=chunks,
        evidence=build_evidence([RankedChunk.from_hit(hit) for hit in hits if _is_evidence(hit)], given.query, limits),
        confidence=round(found.confidence, 3),
        total=found.total,
        note=note,
        index=read_index_state(context) if params.index_state else None,
    )


def _is_evidence(hit: Hit) -> bool:
    """Return False for what is doubtful, and for a past answer unless a person confirmed it."""
    return not hit.doubtful and (hit.chunk.type != "reas" or hit.confirmed)


def _to_pointer(hit: Hit, most: int) -> FoundChunk:
    chunk = hit.chunk
    return FoundChunk(
        id=chunk.id,
        type=chunk.type,
        score=round(min(1.0, max(0.0, hit.score)), 3),
        path=chunk.path,
        lines=f"{chunk.start_line}-{chunk.end_line}" if chunk.path and chunk.start_line else None,
        symbol=chunk.symbol[:200],
        preview=shorten_excerpt(hit.preview, most) if most else "",
        stale=hit.stale,
        doubtful=hit.doubtful,
        confirmed=hit.confirmed,
    )


def drop_repeated_answers(hits: Iterable[Hit]) -> list[Hit]:
    """Drop past answers to a question that a better one answers too, unless a person confirmed them.

    Ten answers to one question in other words take the place of one.
    """
    kept: list[Hit] = []
    questions = PastQuestions()
    for hit in hits:
        if hit.chunk.type == "reas":
            if not hit.confirmed and questions.has_same(hit.chunk):
                continue
            questions.add(hit.chunk)
        kept.append(hit)
    return kept


TOOL = Tool(
    name="context.retrieve",
    title="Retrieve context",
    description=(
        "Search the project's memory for a query: pointers with previews, more for a higher complexity, with a "
        "confidence and a note when nothing fits."
    ),
    input=RetrieveInput,
    output=RetrievedContext,
    run=retrieve_context,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=30,
    phases=True,
    examples=(
        Example(
            "a question",
            {"query": "How does the parser report errors?", "complexity": "SIMPLE"},
            {
                "budget": {"SIMPLE": 5, "MEDIUM": 10, "COMPLEX": 15, "CRITICAL": 20},
                "preview_chars": 200,
                "doubtful_below": 0.3,
            },
        ),
    ),
    params=Params,
)
