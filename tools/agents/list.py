"""Tools `agents.list` and `agents.search`: the agents that the project and the user define."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools import trust
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

from .match import find_agents, rank_agents

if TYPE_CHECKING:
    from aurora.tools.core import Context


class AgentsInput(StrictModel):
    """No arguments."""


class AgentSearchInput(StrictModel):
    """Task for which agents are searched."""

    query: str = Field(min_length=1, max_length=2000, description="A task, or words of it.")
    limit: int = Field(default=10, ge=1, le=100, description="Maximum number of agents.")


class AgentDefinition(StrictModel):
    """Definition of an agent, with its file."""

    name: str
    description: str
    tools: tuple[str, ...]
    model: str | None
    host: str
    scope: Literal["project", "person"]
    path: str


class BrokenDefinition(StrictModel):
    """Definition with an error."""

    path: str
    message: str
    help: str


class AgentList(CompactModel):
    """Agents by name, and the broken definitions."""

    agents: tuple[AgentDefinition, ...]
    problems: tuple[BrokenDefinition, ...]
    notice: str = Field(default="", description="Agents of the project that are not used because it is not trusted.")


class RankedAgent(StrictModel):
    """Agent with the share (0..1) of the query's words that it matches, and these words."""

    score: float
    matched: tuple[str, ...]
    agent: AgentDefinition


class RankedAgents(CompactModel):
    """Matching agents, best first."""

    hits: tuple[RankedAgent, ...]
    notice: str = Field(default="", description="As in `agents.list`.")


def list_agents(given: AgentsInput, context: Context) -> AgentList:
    """List every agent, and every broken definition."""
    del given  # no arguments
    found = find_agents(context)
    agents = sorted(found.agents, key=lambda agent: agent.name)
    return AgentList(
        agents=tuple(map(AgentDefinition.from_value, agents)),
        problems=tuple(map(BrokenDefinition.from_value, found.problems)),
        notice=trust.build_notice(context.project),
    )


def search_agents(given: AgentSearchInput, context: Context) -> RankedAgents:
    """Find the agents whose name or description has words of the query."""
    ranked = rank_agents(find_agents(context).agents, given.query, frozenset())
    return RankedAgents(
        hits=tuple(
            RankedAgent(score=round(share, 3), matched=words, agent=AgentDefinition.from_value(agent))
            for share, words, agent in ranked[: given.limit]
        ),
        notice=trust.build_notice(context.project),
    )


TOOLS = (
    Tool(
        name="agents.list",
        title="List agents",
        description="The agents that the project and the user define for their hosts, and broken definitions.",
        input=AgentsInput,
        output=AgentList,
        run=list_agents,
        family="agents",
        risk="read",
        idempotent=True,
        timeout=10,
        phases=True,
        examples=(Example("all agents", {}),),
        mcp="aurora_agents_list",
        command=Command("agents list", "List the agents that you and the project define."),
    ),
    Tool(
        name="agents.search",
        title="Search agents",
        description="The agents whose name or description has words of a task, best first.",
        input=AgentSearchInput,
        output=RankedAgents,
        run=search_agents,
        family="agents",
        risk="read",
        idempotent=True,
        timeout=10,
        phases=True,
        examples=(Example("who reviews code", {"query": "review code"}),),
        mcp="aurora_agents_search",
        command=Command("agents search", "Find the agents that fit a task.", arguments=("query",), joins_words=True),
    ),
)
