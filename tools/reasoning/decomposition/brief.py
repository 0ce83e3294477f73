"""`decomposition.brief`: what a decomposition has to reckon with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.agents.match import fitting, found_agents
from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.reasoning.complexity.params import Level  # noqa: TC001 - pydantic reads it at run time

from .model import SpanByLevel  # noqa: TC001 - pydantic reads it at run time

if TYPE_CHECKING:
    from aurora.tools.core.context import Context


class Params(Strict):
    """All settings of `decomposition.brief`; see the comments in the workflow."""

    subgoals: SpanByLevel
    agents: int = Field(ge=0)
    agent_chars: int = Field(ge=20)
    patterns: int = Field(ge=0, le=10)
    pattern_from: float = Field(ge=0, le=1)
    pattern_chars: int = Field(ge=20)


class Question(Strict):
    """The query, and how complex it is."""

    query: str = Field(min_length=1, max_length=8000)
    complexity: Level = "MEDIUM"


class KnownAgent(Strict):
    """An agent that exists."""

    name: str
    description: str


class Pattern(Strict):
    """A question like this one that was answered before."""

    id: str
    title: str
    score: float
    preview: str


class Brief(Strict):
    """How many subgoals, who could do them, and what is known from before."""

    least: int
    most: int
    agents: tuple[KnownAgent, ...]
    patterns: tuple[Pattern, ...]


def brief(given: Question, context: Context) -> Brief:
    """Gather it."""
    params: Params = context.params
    span = params.subgoals.of(given.complexity)
    return Brief(least=span.least, most=span.most, agents=_agents(given, context), patterns=_patterns(given, context))


def _agents(given: Question, context: Context) -> tuple[KnownAgent, ...]:
    """The agents, those that speak the query's words first, then by name."""
    params: Params = context.params
    agents = found_agents(context).agents
    first = [agent for _, _, agent in fitting(agents, given.query, frozenset())]
    rest = sorted((agent for agent in agents if agent not in first), key=lambda agent: agent.name)
    return tuple(
        KnownAgent(name=agent.name, description=_cut(agent.description, params.agent_chars))
        for agent in [*first, *rest][: params.agents]
    )


def _patterns(given: Question, context: Context) -> tuple[Pattern, ...]:
    params: Params = context.params
    if not params.patterns:
        return ()
    found = context.project.memory.search(given.query, limit=params.patterns, types=("reas",))
    return tuple(
        Pattern(
            id=hit.chunk.id,
            title=_cut(hit.chunk.symbol, 100),
            score=round(hit.score, 3),
            preview=_cut(hit.preview, params.pattern_chars),
        )
        for hit in found.hits
        if min(hit.score, found.confidence) >= params.pattern_from
    )


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_ANY = {"least": 1, "most": 6}
TOOL = Tool(
    name="decomposition.brief",
    title="Brief a decomposition",
    description=(
        "What to reckon with when a query is broken into subgoals: how many fit its complexity, which agents exist, "
        "and which questions like it were answered before."
    ),
    input=Question,
    output=Brief,
    run=brief,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=15,
    examples=(
        Example(
            "a question",
            {"query": "How does the parser report errors?", "complexity": "MEDIUM"},
            {
                "subgoals": {"SIMPLE": _ANY, "MEDIUM": _ANY, "COMPLEX": _ANY, "CRITICAL": _ANY},
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
