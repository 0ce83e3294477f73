"""`mem.goals`: goals that the memory states, and coherent groups of facts as candidate goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.memory import analysis, embeddings
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory import Chunk
    from aurora.memory.analysis import StatedGoal, Theme
    from aurora.tools.core import Context

_MAX_MEMBERS = 5
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
    analysis.require_algorithm(given.algorithm)
    store = context.project.memory.store
    parent = _read_parent(given.parent_goal_id, context)
    chunks, _ = analysis.read_embedded(store, _TYPES, given.memory_ids)
    chunks = [chunk for chunk in chunks if chunk.id != given.parent_goal_id]
    records = [chunk.id for chunk in chunks if chunk.path is None and not analysis.is_boilerplate(chunk)]
    themes: Sequence[Theme] = ()
    if len(records) >= _MIN_RECORDS:
        themes = analysis.find_groups(
            store, records[:_MAX_RECORDS], least_cosine=_LEAST_COSINE, algorithm=given.algorithm
        )
    stated = analysis.find_stated_goals(chunks, (context.project.root.name,))
    rows = [*map(_to_stated_row, stated), *_iterate_recurring(themes)]
    rows = sorted((row for row in rows if row.confidence >= given.min_confidence), key=_get_order)
    if parent is not None:
        rows = _order_by_parent(rows, parent)
    return GoalsOutput(
        goals=tuple(rows[: given.max_goals]),
        themes=len(themes),
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


def _to_stated_row(goal: StatedGoal) -> GoalRow:
    chunk = goal.chunk
    return GoalRow(
        goal=goal.text,
        source="stated",
        confidence=goal.confidence,
        path=f"{chunk.path}:{chunk.start_line}-{chunk.end_line}" if chunk.path else None,
        memory_ids=(chunk.id,),
    )


def _iterate_recurring(themes: Sequence[Theme]) -> Iterator[GoalRow]:
    for theme in themes:
        yield GoalRow(
            goal=theme.members[0].symbol or ", ".join(theme.words),
            source="recurring",
            words=theme.words,
            confidence=theme.coherence,
            size=len(theme.members),
            memory_ids=tuple(one.id for one in theme.members[:_MAX_MEMBERS]),
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


TOOL = Tool(
    name="mem.goals",
    title="Find candidate goals",
    description=(
        "List the goals that documents and facts state in a sentence, and groups of facts that say nearly the same, "
        "each with its confidence and the memories that support it. Licences and other boilerplate are no goals; "
        "without any goal the note says so. Nothing is stored."
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
)
