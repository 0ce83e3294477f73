"""`mem.search`: files by words, meaning and symbol, as places with previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from aurora.memory import search
from aurora.memory.files import is_view
from aurora.memory.search import Relation
from aurora.system.secrets.masks import mask_json
from aurora.tools import runs
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .exact import ExactAnswer, ExactQuery, search_exactly
from .hits import IndexState, SearchScope, describe_left_out, map_uses, read_index_state, record_uses, search_scoped
from .relations import (
    ReachRow,
    RelatedSymbol,
    RelationAnswer,
    SetAnswer,
    list_reaching_files,
    list_related_places,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Hit
    from aurora.memory.model.chunks import Place
    from aurora.tools.core import Context

_UNINDEXED_WORKTREE = "The files of this worktree are not indexed yet: {step}."
_MAX_CHARS = 17_500
"""Characters of compact JSON; the limit of a response is 19,000, and the marks of 50 hits need some."""
_PREVIEW_CHARS = (500, 240, 80)
"""Characters to which the previews are cut, one after the other, until the hits fit."""
_BODY_CHARS, _BODY_LINES = 13_000, 60
"""Characters of the texts of all hits that are shown whole, and lines of one; of a longer one the excerpt is shown."""
_WEAK_SHARE = 0.4
"""Share of the best score below which a hit is left out, unless a number of hits is asked for: chosen on half of the
questions of `bench/people.py`, of which none loses its answer by it; from 0.5 on some do."""
_MAPPED_HITS = 3
"""Best hits whose uses a map lists."""
_MAX_SYMBOL = 60
"""Characters of the symbol of a further place; of a heading, the last part."""
_MAX_PARTS = 4
"""Strongest parts of a hit's score that are returned; each costs the model tokens."""
_ALL_TYPES: tuple[Literal["code", "know", "reas"], ...] = ("code", "know", "reas")


_RANKED_ONLY = ("kind", "since", "workflow", "run", "map", "parts", "text")
"""Arguments that would be ignored in a list that says it is complete."""
_PAST_LAST = "There are no further hits: the offset is past the last one."


class SearchInput(StrictModel):
    """Query, filters and page."""

    query: str = Field(default="", description='Words, symbols, "a phrase".')
    exact: bool = Field(
        default=False, title="All lines with the query as it is, instead of the best hits.", description="All matches."
    )
    regex: bool = Field(
        default=False,
        title="The same for the lines that a pattern matches.",
        description="Exact, by pattern.",
    )
    of: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        title="Instead of a query: a definition, as Class.method or path::name, of which all places are listed.",
        description='No query: symbol, "path::Class.name".',
    )
    relation: Relation = Field(default="callers", title="What the places are to the definition of --of.")
    each: str | None = Field(
        default=None,
        min_length=1,
        title="Instead of a query: files, as src/*.ts, of each of which it is said whether it reaches --reaches.",
        description='No query: a row per file "src/*.ts".',
    )
    reaches: tuple[Annotated[str, Field(min_length=1, max_length=500)], ...] = Field(
        default=(), max_length=10, title="Names that the files of --each may call.", description="By each file."
    )
    text: int = Field(
        default=0, ge=0, le=5, title="Show the whole text of so many hits.", description="So many hits whole."
    )
    # titles are for the help text of the command; descriptions cost the model tokens
    limit: int = Field(default=5, ge=1, le=50, title="How many files; by default fewer if the others are weak.")
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
    map: bool = Field(
        default=False,
        title="For the first hits, also their callers, implementers and tests.",
        description="Callers, implementers, tests of the first.",
    )
    parts: bool = Field(default=False, title="Show the parts of each score.")

    @model_validator(mode="after")
    def _check_form(self) -> Self:
        forms = [bool(self.query), self.of is not None, self.each is not None]
        if sum(forms) != 1:
            message = 'only one of "query", "of" and "each" may be given' if any(forms) else '"query" is missing'
            raise ValueError(message)
        if bool(self.reaches) != (self.each is not None):
            message = '"each" and "reaches" go together'
            raise ValueError(message)
        is_ranked = not (self.exact or self.regex or self.of or self.each)
        unused = [name for name in _RANKED_ONLY if name in self.model_fields_set and getattr(self, name) is not None]
        if unused and not is_ranked:
            message = f'"{unused[0]}" goes with a ranked search only'
            raise ValueError(message)
        return self


class FoundChunk(CompactModel):
    """Pointer to a chunk, and to others of its file; `mem.get` returns their text."""

    id: str
    type: str
    score: float
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    preview: str = ""
    places: tuple[str, ...] = Field(default=(), description="More in this file.")
    map: tuple[str, ...] = ()
    parts: dict[str, float] = Field(default={}, description="Of the score.")
    stale: bool = Field(default=False, description="Changed since indexed.")
    doubtful: bool = Field(default=False, description="A past answer; what it cites changed.")
    adopted: bool = False
    confirmed: bool = Field(default=False, description="By a person.")


class SearchOutput(ExactAnswer):
    """Hits, best first; or a complete answer, without hits."""

    hits: tuple[FoundChunk, ...] = Field(description="None in a complete answer.")
    confidence: float = Field(description="0 to 1: how well the best hits fit; 1 of a complete answer.")
    symbols: tuple[RelatedSymbol, ...] | None = None
    rows: tuple[ReachRow, ...] | None = None
    index: IndexState | None = None


def search_memory(given: SearchInput, context: Context) -> SearchOutput:
    """Search the project's memory, or list all exact matches in the project's files.

    Args:
        given: query and filters.
        context: project of the call.

    Returns:
        Pointers that fit into one response; it shortens previews first, then drops the last hits.
    """
    answer: ExactAnswer | RelationAnswer | SetAnswer
    if given.of is not None:
        answer = list_related_places(given.of, given.relation, given.offset, context)
    elif given.each is not None:
        answer = list_reaching_files(given.each, given.reaches, given.offset, context)
    elif given.exact or given.regex:
        limit = given.limit if "limit" in given.model_fields_set else None
        query = ExactQuery(given.query, given.regex, given.types, given.path, given.language, limit, given.offset)
        answer = search_exactly(query, context)
    else:
        return _search_ranked(given, context)
    return SearchOutput(hits=(), confidence=1.0, **dict(answer))


def _search_ranked(given: SearchInput, context: Context) -> SearchOutput:
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
        by_file=True,
    )
    shown = found.hits if "limit" in given.model_fields_set else _drop_weak(found.hits)
    hits = _build_pointers(shown, given, context)
    fitting = _fit_response(hits)
    record_uses((hit.id for hit in fitting), context)
    texts = [(hit.chunk.path or hit.chunk.id, hit.chunk.text) for hit in found.hits[: len(fitting)]]
    seen = given.offset + len(fitting)
    more = len(fitting) < len(found.hits) or (len(found.hits) == given.limit and found.total > seen)
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


def _drop_weak(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Drop the hits whose scores are far below the best."""
    return [hit for hit in hits if hit.score >= _WEAK_SHARE * hits[0].score]


def _build_pointers(hits: Sequence[Hit], given: SearchInput, context: Context) -> list[FoundChunk]:
    """Build the pointers of hits, with a map of the uses of the first ones where it is asked for."""
    bodies = [_show_body(hit, given) for hit in hits[: given.text]]
    previews = mask_json([*bodies, *(hit.preview for hit in hits[given.text :])])
    mapped = [hit.chunk.id for hit in hits[:_MAPPED_HITS]] if given.map else []
    uses = map_uses(mapped, context)
    return [
        _to_pointer(hit, preview, given).model_copy(update={"map": uses.get(hit.chunk.id, ())})
        for hit, preview in zip(hits, previews, strict=True)
    ]


def _show_body(hit: Hit, given: SearchInput) -> str:
    """Show the numbered text of a hit, whole up to some lines."""
    room = _BODY_CHARS // given.text
    return search.build_excerpt(hit.chunk, given.query, max_lines=_BODY_LINES, max_chars=room)


def _to_pointer(hit: Hit, preview: str, given: SearchInput) -> FoundChunk:
    chunk = hit.chunk
    return FoundChunk.from_value(
        chunk,
        hit,
        score=round(hit.score, 3),
        lines=f"{chunk.start_line}-{chunk.end_line}" if chunk.path else None,
        preview=preview,
        places=tuple(map(_describe_place, hit.places)),
        parts=dict(list(hit.parts.items())[:_MAX_PARTS]) if given.parts else {},
    )


def _describe_place(place: Place) -> str:
    symbol = place.symbol.rpartition(" > ")[2][:_MAX_SYMBOL]
    return f"{place.start_line}-{place.end_line} {symbol}".rstrip()


def _fit_response(hits: list[FoundChunk]) -> list[FoundChunk]:
    """Fit the hits into one response: shorten previews first, then drop the last hits."""
    sizes = _count_chars(hits)
    for most in _PREVIEW_CHARS:
        if sum(sizes) > _MAX_CHARS:
            hits = [hit.model_copy(update={"preview": search.shorten_excerpt(hit.preview, most)}) for hit in hits]
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
        "Find code, documents and past reasoning of this project by words, meaning or symbol. Hits are files, best "
        "first: the best place with its numbered lines (… is a gap), then others; aurora_get returns a text. Search "
        "where you know no name yet; exact, of and each give all places, or show that there is none; grep the rest."
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
        Example("Every line with a text", {"query": "TODO", "exact": True}),
        Example("Every line that matches a pattern", {"query": "def test_.*time", "regex": True}),
        Example("All callers", {"of": "README.md"}),
        Example("Which files call a function", {"each": "*.md", "reaches": ["open"]}),
    ),
    mcp="aurora_search",
    command=Command(
        "mem search",
        "Search code, documents and patterns.",
        arguments=("query",),
        joins_words=True,
        path_pattern="path",
    ),
)
