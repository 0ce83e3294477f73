"""`mem.themes` and `mem.goals`: clusters of the memory by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.memory import analysis
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.memory.analysis import Theme
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


class GoalsInput(StrictModel):
    """Least confidence, number of goals, and chunks to cluster."""

    min_confidence: float = Field(default=0.6, ge=0, le=1, description="Least coherence of a goal's memories.")
    max_goals: int = Field(default=5, ge=1, le=50, description="At most so many goals.")
    memory_ids: tuple[str, ...] = Field(
        default=(), max_length=1000, description="Only these chunks; by default all facts, patterns and documents."
    )


class GoalRow(StrictModel):
    """Candidate goal with its confidence (0..1) and supporting memories."""

    goal: str
    words: tuple[str, ...]
    confidence: float
    size: int
    memory_ids: tuple[str, ...]


class GoalsOutput(StrictModel):
    """Candidate goals, the most confident first; nothing is stored."""

    goals: tuple[GoalRow, ...]
    themes: int
    looked_at: int


def find_themes(given: ThemesInput, context: Context) -> ThemesOutput:
    """Cluster chunks into themes.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings.
    """
    found = analysis.find_themes(context.project.memory.store, types=given.types, most=given.most)
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


def find_goals(given: GoalsInput, context: Context) -> GoalsOutput:
    """Find coherent themes as candidate goals.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings, NOT_FOUND for ids that do not exist.
    """
    found = analysis.find_themes(context.project.memory.store, ids=given.memory_ids)
    coherent = sorted(
        (theme for theme in found.themes if theme.coherence >= given.min_confidence),
        key=lambda theme: (-theme.coherence, -len(theme.members), theme.words),
    )
    rows = tuple(
        GoalRow(
            goal=theme.members[0].symbol or _name_theme(theme),
            words=theme.words,
            confidence=theme.coherence,
            size=len(theme.members),
            memory_ids=tuple(one.id for one in theme.members[:_MAX_MEMBERS]),
        )
        for theme in coherent[: given.max_goals]
    )
    return GoalsOutput(goals=rows, themes=len(found.themes), looked_at=found.looked_at)


def _name_theme(theme: Theme) -> str:
    return ", ".join(theme.words) or theme.members[0].symbol


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
            "List coherent themes of the memory as candidate goals: the most typical memory of each, its confidence, "
            "and the memories that support it. Nothing is stored."
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
        command=Command("mem goals", "Suggest goals from the themes of the memory.", is_listed=False),
    ),
)
