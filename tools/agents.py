"""Tools for the agents that the project and the user define: `agents.list`, `search` and `show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault, find_nearest, quote_names
from aurora.hosts import Agent, AgentCatalog, discover_agents, read_agent_bytes
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.text import extract_terms, stem_words

from . import trust

if TYPE_CHECKING:
    from collections.abc import Sequence

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


_MAX_INSTRUCTIONS = 15_000
"""Size limit of the instructions in characters; a response stays under 19,000."""


class AgentInput(StrictModel):
    """Name of an agent."""

    name: str = Field(min_length=1, max_length=200, description="The agent's name, as `agents list` shows it.")


class ShownAgent(StrictModel):
    """Definition of an agent, and the text below its frontmatter."""

    agent: AgentDefinition
    instructions: str
    truncated: bool = Field(description="The instructions were truncated; the file has the whole text.")


def show_agent(given: AgentInput, context: Context) -> ShownAgent:
    """Show one agent.

    Raises:
        Fault: NOT_FOUND for an unknown name, with the nearest; FORBIDDEN for an agent of a project that is not
            trusted, or whose file cannot be read.
    """
    agents = {agent.name: agent for agent in find_agents(context).agents}
    if given.name not in agents:
        _reject_untrusted(given.name, context)
        guess = find_nearest(given.name, agents)
        raise Fault(
            Code.NOT_FOUND,
            f'there is no agent "{given.name}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"The agents are {quote_names(agents)}."
            if agents
            else "No agent is defined here; see `aur agents list`.",
            details={"agent": given.name, "suggestion": guess, "choices": sorted(agents)},
        )
    text = _read_instructions(agents[given.name], context)
    return ShownAgent(
        agent=AgentDefinition.from_value(agents[given.name]),
        instructions=text[:_MAX_INSTRUCTIONS],
        truncated=len(text) > _MAX_INSTRUCTIONS,
    )


def _reject_untrusted(name: str, context: Context) -> None:
    if name in {agent.name for agent in find_untrusted_agents(context).agents}:
        is_changed = context.project.trust.is_trusted()
        reason = "and new or changed since the folder was trusted" if is_changed else "which are not trusted yet"
        raise Fault(
            Code.FORBIDDEN,
            f'"{name}" is one of this folder\'s own agents, {reason}, so it is not used',
            help="A person decides that: `aur trust` in a terminal shows this folder's own agents, and asks.",
            details={"agent": name, "trusted": False},
        )


def _read_instructions(agent: Agent, context: Context) -> str:
    base = Path.home() if agent.scope == "person" else context.root
    path = base / agent.path.removeprefix("~/")
    content = read_agent_bytes(path, base)
    if agent.scope == "project" and not context.project.trust.is_unchanged(path, content):  # changed meanwhile
        _reject_untrusted(agent.name, context)
    text = content.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    if lines and lines[0].strip() == "---":
        end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
        lines = lines[end + 1 :] if end else lines
    return "\n".join(lines).strip()


def find_agents(context: Context) -> AgentCatalog:
    """Return the agents of the user, and those of the project that the person trusts."""
    trust = context.project.trust
    return discover_agents(context.root if trust.is_trusted() else None, _find_home(), is_used=trust.is_unchanged)


def find_untrusted_agents(context: Context) -> AgentCatalog:
    """Return the agents of the project that the person does not trust, to report that they are not used."""
    is_unchanged = context.project.trust.is_unchanged
    return discover_agents(context.root, is_used=lambda path, content: not is_unchanged(path, content))


def rank_agents(
    agents: Sequence[Agent], text: str, ignore: frozenset[str]
) -> list[tuple[float, tuple[str, ...], Agent]]:
    """Rank the agents whose name or description shares words with a text, best first.

    Args:
        agents: the agents.
        text: a task or a question.
        ignore: words that carry no meaning.

    Returns:
        `(share, words, agent)`: the share (0..1) of the text's words that the agent has, and these words.
    """
    named = extract_terms(text, ignore)
    wanted = {**named.words, **{name: name for name in named.names}}
    if not wanted:
        return []
    ranked = []
    for agent in agents:
        known = stem_words(f"{agent.name} {agent.description}")
        common = tuple(word for key, word in wanted.items() if key in known)
        if common:
            ranked.append((len(common) / len(wanted), common, agent))
    return sorted(ranked, key=lambda one: (-one[0], one[2].name))


def _find_home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # a service account without a home
        return None


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
    Tool(
        name="agents.show",
        title="Show an agent",
        description="The definition of one agent: its purpose, its tools, and the instructions that its host gives it.",
        input=AgentInput,
        output=ShownAgent,
        run=show_agent,
        family="agents",
        risk="read",
        idempotent=True,
        timeout=10,
        phases=True,
        examples=(Example("who reviews", {"name": "reviewer"}),),
        mcp="aurora_agents_show",
        command=Command("agents show", "Show one agent with its instructions.", arguments=("name",)),
    ),
)
