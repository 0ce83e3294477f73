"""`mem.search`: chunks by words, meaning and symbol, as pointers with previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.memory.files import is_view
from aurora.system.secrets.masks import mask_json
from aurora.tools import runs
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .hits import IndexState, SearchScope, describe_left_out, read_index_state, record_uses, search_scoped

if TYPE_CHECKING:
    from aurora.memory import Hit
    from aurora.tools.core import Context

_UNINDEXED_WORKTREE = "The files of this worktree are not indexed yet: {step}."
_MAX_CHARS = 17_500
"""Characters of compact JSON; the limit of a response is 19,000, and the marks of 50 hits need some."""
_SHORT_PREVIEW = 80
_MAX_PARTS = 4
"""Strongest parts of a hit's score that are returned; each costs the model tokens."""
_ALL_TYPES: tuple[Literal["code", "know", "reas"], ...] = ("code", "know", "reas")


_PAST_LAST = "There are no further hits: the offset is past the last one."


class SearchInput(StrictModel):
    """Query, filters and page."""

    query: str = Field(min_length=1, description='Words, symbols, "a phrase".')
    # titles are for the help text of the command; descriptions cost the model tokens
    limit: int = Field(default=10, ge=1, le=50, title="How many hits.")
    offset: int = Field(default=0, ge=0, title="Skip so many of the best hits.")
    types: tuple[Literal["code", "know", "reas"], ...] = Field(
        default=_ALL_TYPES, min_length=1, description="code, know (documents), reas (past reasoning)."
    )
    path: str | None = Field(
        default=None,
        min_length=1,
        title='Only files that match, for example "src/**/*.py".',
        description='As "src/**/*.py".',
    )
    language: str | None = Field(
        default=None, min_length=1, title="Only this language, for example python.", description="As python."
    )
    kind: str | None = Field(
        default=None, min_length=1, title='Only this kind, as "class" or "function".', description='As "class".'
    )
    since: str | None = Field(
        default=None,
        min_length=1,
        title='Only files changed since then: "2026-01-31", "12h", "3d".',
        description='As "3d".',
    )
    workflow: str | None = Field(
        default=None,
        min_length=1,
        max_length=80,
        title="Only what runs of this workflow recorded.",
    )
    run: str | None = Field(
        default=None,
        min_length=1,
        max_length=80,
        title="What this run has touched wins between nearly equal hits; an id, or last.",
        description="Prefer what it touched.",
    )


class FoundChunk(CompactModel):
    """Pointer to a chunk; `mem.get` returns its text."""

    id: str
    type: str
    score: float
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    preview: str = ""
    parts: dict[str, float] = Field(default={}, description="Of the score.")
    stale: bool = Field(default=False, description="Changed since indexed.")
    doubtful: bool = Field(default=False, description="A past answer; what it cites changed.")
    adopted: bool = False
    confirmed: bool = Field(default=False, description="By a person.")


class SearchOutput(CompactModel):
    """Hits, best first."""

    hits: tuple[FoundChunk, ...]
    confidence: float = Field(description="0 to 1: how well the best hits fit.")
    note: str = ""
    index: IndexState | None = None
    next_offset: int | None = Field(default=None, description="Request again with it for more.")


def search_memory(given: SearchInput, context: Context) -> SearchOutput:
    """Search the project's memory.

    Args:
        given: query and filters.
        context: project of the call.

    Returns:
        Pointers that fit into one response; it shortens previews first, then drops the last hits.
    """
    found = search_scoped(
        given.query,
        context,
        SearchScope(given.workflow, runs.resolve_run_id(context.project, given.run) if given.run else None),
        limit=given.limit,
        offset=given.offset,
        types=given.types,
        path_glob=given.path,
        language=given.language,
        kinds=(given.kind,) if given.kind else (),
        changed_since=given.since,
    )
    previews = mask_json([hit.preview for hit in found.hits])
    hits = [_to_pointer(hit, preview) for hit, preview in zip(found.hits, previews, strict=True)]
    fitting = _fit_response(hits)
    record_uses((hit.id for hit in fitting), context)
    texts = [(hit.chunk.path or hit.chunk.id, hit.chunk.text) for hit in found.hits[: len(fitting)]]
    seen = given.offset + len(fitting)
    more = len(fitting) < len(hits) or (len(hits) == given.limit and found.total > seen)
    index = read_index_state(context)
    step = context.project.index_step
    advice = _UNINDEXED_WORKTREE.format(step=step) if index is None and is_view(context.project.memory.path) else ""
    note = _PAST_LAST if given.offset and not hits else found.note
    return SearchOutput(
        hits=tuple(fitting),
        confidence=round(found.confidence, 3),
        note=" ".join(filter(None, [note, advice, describe_left_out(texts)])),
        index=index,
        next_offset=seen if more else None,
    )


def _to_pointer(hit: Hit, preview: str) -> FoundChunk:
    chunk = hit.chunk
    return FoundChunk.from_value(
        chunk,
        hit,
        score=round(hit.score, 3),
        lines=f"{chunk.start_line}-{chunk.end_line}" if chunk.path else None,
        preview=preview,
        parts=dict(list(hit.parts.items())[:_MAX_PARTS]),
    )


def _fit_response(hits: list[FoundChunk]) -> list[FoundChunk]:
    """Fit the hits into one response: shorten previews first, then drop the last hits."""
    sizes = _count_chars(hits)
    if sum(sizes) > _MAX_CHARS:
        hits = [hit.model_copy(update={"preview": hit.preview[:_SHORT_PREVIEW]}) for hit in hits]
        sizes = _count_chars(hits)
    while len(hits) > 1 and sum(sizes) > _MAX_CHARS:
        hits, sizes = hits[:-1], sizes[:-1]
    return hits


def _count_chars(hits: list[FoundChunk]) -> list[int]:
    return [len(hit.model_dump_json()) + 1 for hit in hits]


TOOL = Tool(
    name="mem.search",
    title="Search the project's memory",
    description=(
        "Find code, documents and past reasoning of this project by words, meaning or symbol. "
        "Hits are pointers, best first; aurora_get returns a text."
    ),
    input=SearchInput,
    output=SearchOutput,
    run=search_memory,
    family="core",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(
        Alias("ag_query"),
        Alias("aura_search_code"),
        Alias("query_knowledge_graph", {"triad": "workflow"}),
        Alias("search_knowledge", {"keywords": "query", "triad": "workflow"}),
    ),
    constraints=("It finds only what is indexed: an empty memory returns no hits and a note.",),
    examples=(
        Example("By words", {"query": "how are files skipped"}),
        Example("An exact symbol, code only", {"query": "Memory.open", "types": ["code"], "limit": 3}),
    ),
    mcp="aurora_search",
    command=Command(
        "mem search",
        "Search code, documents and patterns.",
        arguments=("query",),
        joins_words=True,
        path_pattern="path",
        verbose="Show the parts of each score.",
    ),
)
