"""`mem.themes`: clusters of the memory by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.memory import analysis
from aurora.tools.core import Command, Example, StrictModel, Tool

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


def _name_theme(theme: Theme) -> str:
    return ", ".join(theme.words) or theme.members[0].symbol


TOOL = Tool(
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
)
