"""mem.themes and mem.goals: what the memory turns around, and which goals may lie behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.memory.analysis import Theme
    from aurora.tools.core import Context

_MAX_MEMBERS = 5
"""Members of a theme that are named."""


class ThemesInput(StrictModel):
    """Of what, and how many."""

    types: tuple[Literal["know", "reas", "code"], ...] = Field(
        default=("know", "reas"),
        min_length=1,
        max_length=3,
        description="know: facts and documents. reas: patterns. code: code.",
    )
    most: int = Field(default=12, ge=1, le=50, description="How many themes at most.")


class MemberRow(StrictModel):
    """A chunk of a theme; `path` is null for what no file holds."""

    id: str
    subject: str
    path: str | None


class ThemeRow(StrictModel):
    """A theme: its words, how many chunks, how close they are (mean cosine to the middle), the most typical ones."""

    name: str
    words: tuple[str, ...]
    size: int
    coherence: float
    typical: tuple[MemberRow, ...]


class ThemesOutput(StrictModel):
    """The themes, the largest first; `alone` counts chunks that fit into none."""

    themes: tuple[ThemeRow, ...]
    looked_at: int
    alone: int


class GoalsInput(StrictModel):
    """How sure, how many, and of what."""

    min_confidence: float = Field(default=0.6, ge=0, le=1, description="How close together its memories must lie.")
    max_goals: int = Field(default=5, ge=1, le=50, description="How many goals at most.")
    memory_ids: tuple[str, ...] = Field(
        default=(), max_length=1000, description="Only these chunks; all facts, patterns and documents without."
    )


class GoalRow(StrictModel):
    """A candidate: what it seems to be about, how sure that is (0..1), and the memories that speak for it."""

    goal: str
    words: tuple[str, ...]
    confidence: float
    size: int
    memory_ids: tuple[str, ...]


class GoalsOutput(StrictModel):
    """Candidates, the surest first, out of how many themes; nothing is kept of them."""

    goals: tuple[GoalRow, ...]
    themes: int
    looked_at: int


def find_themes(given: ThemesInput, context: Context) -> ThemesOutput:
    """Cluster what is remembered.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings.
    """
    from aurora.memory.analysis import find_themes as cluster  # noqa: PLC0415 - listing tools must not pay for SQLite

    found = cluster(context.project.memory.store, types=given.types, most=given.most)
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
    """Themes as candidates for goals.

    Raises:
        Fault: UPSTREAM_ERROR without embeddings, NOT_FOUND for ids that do not exist.
    """
    from aurora.memory.analysis import find_themes as cluster  # noqa: PLC0415 - as above

    found = cluster(context.project.memory.store, ids=given.memory_ids)
    sure = sorted(
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
        for theme in sure[: given.max_goals]
    )
    return GoalsOutput(goals=rows, themes=len(found.themes), looked_at=found.looked_at)


def _name_theme(theme: Theme) -> str:
    return ", ".join(theme.words) or theme.members[0].symbol


TOOLS = (
    Tool(
        name="mem.themes",
        title="Themes of the memory",
        description=(
            "Cluster facts, documents and patterns by meaning, and call each cluster by the words that set it apart "
            "from the others. The same memory always gives the same themes."
        ),
        input=ThemesInput,
        output=ThemesOutput,
        run=find_themes,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=60.0,
        examples=(Example("Of facts, documents and patterns", {}), Example("At most three", {"most": 3})),
        mcp="aurora_mem_themes",
        command=Command("mem themes", "List the themes of the memory."),
    ),
    Tool(
        name="mem.goals",
        title="Goals that may lie behind the memory",
        description=(
            "Themes of the memory that hold together well, as candidates for goals: the most typical memory of each, "
            "how sure it is, and the memories that speak for it. Nothing is kept of them."
        ),
        input=GoalsInput,
        output=GoalsOutput,
        run=find_goals,
        family="knowledge",
        risk="read",
        idempotent=True,
        timeout=60.0,
        examples=(Example("The surest", {"min_confidence": 0.7, "max_goals": 3}),),
        aliases=("discover_goals", "discover_sub_goals"),
        mcp="aurora_mem_goals",
        command=Command("mem goals", "Suggest goals from the themes of the memory."),
    ),
)
