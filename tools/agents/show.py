"""Tool `agents.show`: the definition of one agent, with its instructions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault, find_nearest, quote_names
from aurora.hosts import read_agent_bytes
from aurora.tools.core import Command, Example, StrictModel, Tool

from .list import AgentDefinition
from .match import find_agents, find_untrusted_agents

if TYPE_CHECKING:
    from aurora.hosts import Agent
    from aurora.tools.core import Context

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


TOOL = Tool(
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
)
