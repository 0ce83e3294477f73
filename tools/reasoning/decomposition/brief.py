"""`decomposition.brief`: constraints and context for a decomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.agents import find_agents, rank_agents
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.memory.hits import record_uses, search_fresh
from aurora.tools.memory.search import FoundChunk
from aurora.tools.reasoning.complexity.lexicon import Level
from aurora.tools.reasoning.context.evidence import NO_EVIDENCE, Evidence, EvidenceLimits, RankedChunk, build_evidence

from .model import SubgoalRangeByLevel

if TYPE_CHECKING:
    from aurora.tools.core import Context


class Params(StrictModel):
    """All settings of `decomposition.brief`; see the comments in the workflow."""

    subgoals: SubgoalRangeByLevel
    agents: int = Field(ge=0)
    agent_chars: int = Field(ge=20)
    patterns: int = Field(ge=0, le=10)
    pattern_from: float = Field(ge=0, le=1)
    pattern_chars: int = Field(ge=20)
    evidence: EvidenceLimits = NO_EVIDENCE


class BriefInput(StrictModel):
    """Query with its complexity, and the chunks that were retrieved for it."""

    query: str = Field(min_length=1, max_length=8000)
    complexity: Level = "MEDIUM"
    chunks: tuple[FoundChunk, ...] = Field(default=(), max_length=50)


class KnownAgent(StrictModel):
    """Available agent."""

    name: str
    description: str


class KnownPattern(CompactModel):
    """Pattern of a similar question that was answered before; `doubtful` when what it cites has changed."""

    id: str
    title: str
    score: float
    preview: str
    doubtful: bool = False


class Brief(StrictModel):
    """Number of subgoals, excerpts of the chunks, available agents, and patterns of similar questions."""

    least: int
    most: int
    evidence: tuple[Evidence, ...]
    agents: tuple[KnownAgent, ...]
    patterns: tuple[KnownPattern, ...]


def brief_decomposition(given: BriefInput, context: Context) -> Brief:
    """Collect the brief for a query."""
    params: Params = context.params
    span = params.subgoals.for_level(given.complexity)
    patterns = _find_patterns(given, context)
    shown = _list_shown(given, context)
    record_uses((pattern.id for pattern in patterns if pattern.id not in shown), context)
    return Brief(
        least=span.least,
        most=span.most,
        evidence=_collect_evidence(given, context),
        agents=_list_agents(given, context),
        patterns=patterns,
    )


def _collect_evidence(given: BriefInput, context: Context) -> tuple[Evidence, ...]:
    """Build excerpts of the retrieved code and documents; a chunk that was deleted since is left out."""
    params: Params = context.params
    pointers = {chunk.id: chunk for chunk in given.chunks if chunk.type != "reas"}
    missing = set(context.project.memory.find_missing(tuple(pointers))) if pointers else set()
    chunks = context.project.memory.get(tuple(name for name in pointers if name not in missing))
    ranked = [RankedChunk(chunk, pointers[chunk.id].score, pointers[chunk.id].stale) for chunk in chunks]
    return build_evidence(ranked, given.query, params.evidence)


def _list_agents(given: BriefInput, context: Context) -> tuple[KnownAgent, ...]:
    """List the agents, those that match the query first, then by name."""
    params: Params = context.params
    agents = find_agents(context).agents
    first = [agent for _, _, agent in rank_agents(agents, given.query, frozenset())]
    rest = sorted((agent for agent in agents if agent not in first), key=lambda agent: agent.name)
    return tuple(
        KnownAgent(name=agent.name, description=_truncate_line(agent.description, params.agent_chars))
        for agent in [*first, *rest][: params.agents]
    )


def _find_patterns(given: BriefInput, context: Context) -> tuple[KnownPattern, ...]:
    params: Params = context.params
    if not params.patterns:
        return ()
    found = search_fresh(given.query, context, limit=params.patterns, types=("reas",))
    return tuple(
        KnownPattern(
            id=hit.chunk.id,
            title=_truncate_line(hit.chunk.symbol, 100),
            score=round(hit.score, 3),
            preview=_truncate_line(hit.preview, params.pattern_chars),
            doubtful=hit.doubtful,
        )
        for hit in found.hits
        if min(hit.score, hit.fit) >= params.pattern_from
    )


def _list_shown(given: BriefInput, context: Context) -> set[str]:
    """List the ids that this run has shown and counted: retrieved chunks, patterns of earlier visits."""
    shown = {chunk.id for chunk in given.chunks}
    if context.phase.run:
        for step in context.project.memory.journal.steps(context.phase.run):
            result = step.document.get("result")
            patterns = result.get("patterns") if isinstance(result, dict) else None
            if isinstance(patterns, list):
                shown.update(str(one.get("id")) for one in patterns if isinstance(one, dict))
    return shown


def _truncate_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_ANY_RANGE = {"least": 1, "most": 6}
TOOL = Tool(
    name="decomposition.brief",
    title="Brief a decomposition",
    description=(
        "Collect what a decomposition of a query needs: the number of subgoals for its complexity, the available "
        "agents, and similar questions that were answered before."
    ),
    input=BriefInput,
    output=Brief,
    run=brief_decomposition,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=15,
    phases=True,
    examples=(
        Example(
            "a question",
            {"query": "How does the parser report errors?", "complexity": "MEDIUM"},
            {
                "subgoals": {"SIMPLE": _ANY_RANGE, "MEDIUM": _ANY_RANGE, "COMPLEX": _ANY_RANGE, "CRITICAL": _ANY_RANGE},
                "agents": 20,
                "agent_chars": 160,
                "patterns": 2,
                "pattern_from": 0.35,
                "pattern_chars": 300,
            },
        ),
    ),
    params=Params,
)
