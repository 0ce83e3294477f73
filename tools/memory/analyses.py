"""Tools `mem.themes`, `mem.goals` and `mem.activation`: what the memory is about, and what is used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault, quote_names
from aurora.memory import embeddings, goals, themes
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.graph import PagedInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory import Chunk, usage
    from aurora.tools.core import Context


_MAX_MEMBERS = 5
"""Members of a theme that are returned."""


class ThemesInput(StrictModel):
    """Types of chunks to cluster, and the number of themes."""

    types: tuple[Literal["know", "reas", "code"], ...] = Field(
        default=("know", "reas"),
        min_length=1,
        max_length=3,
        description="know: facts and documents. reas: patterns. code: code.",
    )
    most: int = Field(default=12, ge=1, le=50, description="At most so many themes.")


class MemberRow(StrictModel):
    """Chunk of a theme; `path` is null for a record."""

    id: str
    subject: str
    path: str | None


class ThemeRow(StrictModel):
    """Theme: words, number of chunks, mean cosine to the centre, typical chunks."""

    name: str
    words: tuple[str, ...]
    size: int
    coherence: float
    typical: tuple[MemberRow, ...]


class ThemesOutput(StrictModel):
    """Themes, the largest first; `alone` counts chunks that fit into none."""

    themes: tuple[ThemeRow, ...]
    looked_at: int
    alone: int


def find_themes(given: ThemesInput, context: Context) -> ThemesOutput:
    """Cluster chunks into themes.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings.
    """
    found = themes.find_themes(context.project.memory.store, types=given.types, most=given.most)
    rows = tuple(
        ThemeRow(
            name=_name_theme(theme),
            words=theme.words,
            size=len(theme.members),
            coherence=theme.coherence,
            typical=tuple(
                MemberRow(id=one.id, subject=one.symbol, path=one.path) for one in theme.members[:_MAX_MEMBERS]
            ),
        )
        for theme in found.themes
    )
    return ThemesOutput(themes=rows, looked_at=found.looked_at, alone=found.alone)


def _name_theme(theme: themes.Theme) -> str:
    return ", ".join(theme.words) or theme.members[0].symbol


_MAX_SUPPORTING = 5
"""Members of a group that are returned."""
_MAX_RECORDS = 1000
"""Facts and patterns that are clustered, the newest."""
_MIN_RECORDS = 2
_TYPES = ("know", "reas")
_LEAST_COSINE = 0.6
"""Of every two members of a group. Of 14 pairs of facts that say the same 10 have it, of 12 pairs about one subject
one, and of the 7,140 pairs of the facts in bench/facts.tsv none; the highest of those is 0.49."""
_NONE_FOUND = (
    'No goal was found. Sentences that state one ("the goal of … is", "aims to") are searched in facts and in '
    "documents at the top and in docs/ that are called readme, index, about, overview, introduction, design, roadmap, "
    "goals, vision, mission, philosophy, motivation, why, to-do or plan; in other documents only under a heading such "
    "as Goals. A group of facts needs a cosine of 0.6 between every two. Licences, notices and change logs never count."
)


class GoalsInput(StrictModel):
    """Least confidence, number of goals, parent, chunks and the algorithm that clusters facts."""

    min_confidence: float = Field(default=0.6, ge=0, le=1, description="Least confidence of a goal.")
    max_goals: int = Field(default=5, ge=1, le=50, description="At most so many goals.")
    parent_goal_id: str | None = Field(
        default=None, min_length=1, max_length=80, description="A fact: goals nearest to it in meaning come first."
    )
    memory_ids: tuple[str, ...] = Field(
        default=(), max_length=1000, description="Only these chunks; by default all facts, patterns and documents."
    )
    algorithm: Literal["kmeans", "hdbscan", "spectral"] = Field(
        default="kmeans", description="Clusters facts; hdbscan and spectral need scikit-learn."
    )


class GoalRow(CompactModel):
    """Candidate goal with its confidence (0..1) and supporting memories."""

    goal: str
    source: Literal["stated", "recurring"] = Field(
        description="`stated` in a sentence of a document or fact; `recurring` in several facts."
    )
    confidence: float = Field(
        description="Of its wording when it is stated, else the lowest cosine of two facts of the group, at least 0.6."
    )
    path: str | None = Field(default=None, description="The document that states it, with its lines.")
    words: tuple[str, ...] = ()
    size: int = 1
    parent_similarity: float | None = Field(default=None, description="Cosine to the parent goal.")
    memory_ids: tuple[str, ...]


class GoalsOutput(CompactModel):
    """Candidate goals, the most confident first; nothing is stored."""

    goals: tuple[GoalRow, ...]
    themes: int
    looked_at: int
    parent_goal_id: str | None = None
    note: str = ""


def find_goals(given: GoalsInput, context: Context) -> GoalsOutput:
    """Find the goals that documents state, and coherent groups of facts.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings or the library of the algorithm, NOT_FOUND for ids that do not exist.
    """
    themes.require_algorithm(given.algorithm)
    store = context.project.memory.store
    parent = _read_parent(given.parent_goal_id, context)
    chunks, _ = themes.read_embedded(store, _TYPES, given.memory_ids)
    chunks = [chunk for chunk in chunks if chunk.id != given.parent_goal_id]
    records = [chunk.id for chunk in chunks if chunk.path is None and not goals.is_boilerplate(chunk)]
    groups: Sequence[themes.Theme] = ()
    if len(records) >= _MIN_RECORDS:
        groups = themes.find_groups(
            store, records[:_MAX_RECORDS], least_cosine=_LEAST_COSINE, algorithm=given.algorithm
        )
    stated = goals.find_stated_goals(chunks, (context.project.root.name,))
    rows = [*map(_to_stated_row, stated), *_iterate_recurring(groups)]
    rows = sorted((row for row in rows if row.confidence >= given.min_confidence), key=_get_order)
    if parent is not None:
        rows = _order_by_parent(rows, parent)
    return GoalsOutput(
        goals=tuple(rows[: given.max_goals]),
        themes=len(groups),
        looked_at=len(chunks),
        parent_goal_id=given.parent_goal_id,
        note="" if rows else _NONE_FOUND,
    )


def _get_order(row: GoalRow) -> tuple[float, int, str]:
    return (-row.confidence, -row.size, row.goal)


def _read_parent(id_: str | None, context: Context) -> Chunk | None:
    """Read the memory that is the parent goal."""
    if id_ is None:
        return None
    found = context.project.memory.get((id_,)) if not context.project.memory.find_missing((id_,)) else ()
    if not found:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory "{id_}" to be the parent goal',
            help="`aur mem add TEXT` stores a goal as a fact and prints its id.",
            details={"parent_goal_id": id_},
        )
    return found[0]


def _to_stated_row(goal: goals.StatedGoal) -> GoalRow:
    chunk = goal.chunk
    return GoalRow(
        goal=goal.text,
        source="stated",
        confidence=goal.confidence,
        path=f"{chunk.path}:{chunk.start_line}-{chunk.end_line}" if chunk.path else None,
        memory_ids=(chunk.id,),
    )


def _iterate_recurring(groups: Sequence[themes.Theme]) -> Iterator[GoalRow]:
    for theme in groups:
        yield GoalRow(
            goal=theme.members[0].symbol or ", ".join(theme.words),
            source="recurring",
            words=theme.words,
            confidence=theme.coherence,
            size=len(theme.members),
            memory_ids=tuple(one.id for one in theme.members[:_MAX_SUPPORTING]),
        )


def _order_by_parent(rows: Sequence[GoalRow], parent: Chunk) -> list[GoalRow]:
    """Order the goals by their similarity to the parent; their order stays without embeddings."""
    model = embeddings.get_embedder()
    if model is None or not rows:
        return list(rows)
    vectors = model.embed([parent.text, *(row.goal for row in rows)])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    rated = [
        row.model_copy(update={"parent_similarity": round(cos, 3)}) for row, cos in zip(rows, cosines, strict=True)
    ]
    return sorted(rated, key=lambda row: -(row.parent_similarity or 0.0))


_MAX_MISSING = 5


class ActivationInput(PagedInput):
    """Focus chunks and the page of the result."""

    chunks: tuple[str, ...] = Field(
        default=(),
        max_length=50,
        description="Ids of the chunks from which activation spreads; by default those used last.",
    )


class ActiveChunk(CompactModel):
    """Chunk with its activation now."""

    id: str
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    activation: float = Field(description="Base level plus spreading activation.")
    base: float = Field(description="ln Σ age^-0.5 over the seconds since it was written and since each use.")
    spread: float = Field(description="Spread from the focus over the links of the code graph.")
    uses: int = Field(description="How often a call brought it to a model, of the latest 50 times.")
    last_used: str | None = Field(default=None, description="ISO 8601, UTC.")


class ActivationOutput(CompactModel):
    """Focus and chunks, the most active first."""

    focus: tuple[str, ...]
    chunks: tuple[ActiveChunk, ...]
    note: str = ""


def list_active_chunks(given: ActivationInput, context: Context) -> ActivationOutput:
    """List the most active chunks.

    Raises:
        Fault: NOT_FOUND for a chunk that does not exist.
    """
    memory = context.project.memory
    missing = memory.find_missing(given.chunks)
    heirs = memory.map_merged_ids(missing) if missing else {}
    if missing := tuple(id_ for id_ in missing if id_ not in heirs):
        raise Fault(
            Code.NOT_FOUND,
            f"there is no chunk {quote_names(missing[:_MAX_MISSING])}",
            help="take ids from a search of the memory",
            details={"missing": list(missing)},
        )
    found, focus = memory.rank_active_chunks(
        tuple(heirs.get(id_, id_) for id_ in given.chunks), first=given.offset + given.limit
    )
    note = "" if found else f"The memory is empty: {context.project.index_step}."
    return ActivationOutput(focus=focus, chunks=tuple(map(_to_active_chunk, found[given.offset :])), note=note)


def _to_active_chunk(one: usage.ChunkActivation) -> ActiveChunk:
    last = datetime.fromtimestamp(one.last, UTC).isoformat(timespec="seconds") if one.last is not None else None
    return ActiveChunk.from_value(
        one,
        lines=f"{one.start_line}-{one.end_line}" if one.path else None,
        activation=round(one.total, 3),
        base=round(one.base, 3),
        spread=round(one.spread, 3),
        last_used=last,
    )


TOOLS = (
    Tool(
        name="mem.themes",
        title="Find themes",
        description=(
            "Cluster facts, documents and patterns by meaning, and name each cluster by the words that distinguish it "
            "from the others. The same memory always gives the same themes."
        ),
        input=ThemesInput,
        output=ThemesOutput,
        run=find_themes,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=60.0,
        phases=True,
        examples=(Example("Of facts, documents and patterns", {}), Example("At most three", {"most": 3})),
        mcp="aurora_mem_themes",
        command=Command("mem themes", "List the themes of the memory.", is_listed=False),
    ),
    Tool(
        name="mem.goals",
        title="Find candidate goals",
        description=(
            "List the goals that documents and facts state in a sentence, and groups of facts that say nearly the "
            "same, each with its confidence and the memories that support it. Licences and other boilerplate are no "
            "goals; without any goal the note says so. Nothing is stored."
        ),
        input=GoalsInput,
        output=GoalsOutput,
        run=find_goals,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=60.0,
        phases=True,
        examples=(Example("The surest", {"min_confidence": 0.7, "max_goals": 3}),),
        aliases=(Alias("discover_goals"), Alias("discover_sub_goals")),
        mcp="aurora_mem_goals",
        command=Command("mem goals", "Find the goals that documents and facts state."),
    ),
    Tool(
        name="mem.activation",
        title="List the most active chunks",
        description=(
            "List the chunks that are most active by ACT-R: written or used recently and often, or linked with the "
            "focus. Search does not rank by it."
        ),
        input=ActivationInput,
        output=ActivationOutput,
        run=list_active_chunks,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        examples=(Example("The chunks written or used last", {"limit": 3}),),
        mcp="aurora_mem_activation",
        command=Command("mem activation", "List the most active chunks.", arguments=("chunks",), is_listed=False),
    ),
)
