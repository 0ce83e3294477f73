"""`tasks.route`: assignment of subgoals to agents or the host, in waves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.memory.search import STOP_WORDS
from aurora.tools.agents import find_agents, rank_agents
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.reasoning.decomposition.model import Subgoal, find_order_issues

from .plan import AssignedAgent, MissingAgent, Plan, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.hosts import Agent
    from aurora.tools.core import Context


_COMMON = STOP_WORDS | {"agent", "agents", "code", "expert", "proactively", "specialist", "task", "tasks"}
"""Words of subgoals and of agents' descriptions that tell nothing about the work."""


class Params(StrictModel):
    """All settings of `tasks.route`; see the comments in the workflow."""

    match_from: float = Field(ge=0, le=1)
    match_words: int = Field(ge=1)


class RouteInput(StrictModel):
    """Subgoals to route."""

    subgoals: tuple[Subgoal, ...] = Field(min_length=1, max_length=20)


def route_tasks(given: RouteInput, context: Context) -> Plan:
    """Build the plan for the subgoals.

    Raises:
        Fault: INVALID_INPUT when ids repeat, a dependency does not exist, or subgoals wait for each other.
    """
    waves = _build_waves(given.subgoals)
    agents = find_agents(context).agents
    if not agents:  # one model does everything in one context: a call per wave would bring it nothing
        waves = [[subgoal for wave in waves for subgoal in wave]]
    tasks: list[Task] = []
    gaps: list[MissingAgent] = []
    for number, wave in enumerate(waves, start=1):
        for subgoal in wave:
            agent, reason, missing = _choose_agent(subgoal, agents, context.params)
            tasks.append(_to_task(subgoal, agent, reason, number))
            if missing:
                gaps.append(_to_missing_agent(subgoal))
    return Plan(
        tasks=tuple(tasks),
        waves=tuple(tuple(subgoal.id for subgoal in wave) for wave in waves),
        gaps=tuple(gaps),
        agents=tuple(AssignedAgent(task=task.id, agent=task.agent) for task in tasks if task.agent),
    )


def _build_waves(subgoals: Sequence[Subgoal]) -> list[list[Subgoal]]:
    """Order the subgoals in waves, each of which depends only on earlier waves."""
    if issues := find_order_issues(subgoals):
        raise Fault(
            Code.INVALID_INPUT,
            f"the subgoals have no possible order: {'; '.join(issue.message for issue in issues)}",
            help="Give each subgoal a unique id, and list in depends_on only existing ids, without a cycle.",
            details={"faults": [issue.model_dump(mode="json") for issue in issues]},
        )
    waves: list[list[Subgoal]] = []
    done: set[str] = set()
    while len(done) < len(subgoals):
        wave = [one for one in subgoals if one.id not in done and done.issuperset(one.depends_on)]
        waves.append(wave)
        done |= {one.id for one in wave}
    return waves


def _choose_agent(subgoal: Subgoal, agents: Sequence[Agent], params: Params) -> tuple[str | None, str, bool]:
    """Return `(agent, reason, whether the requested agent is missing)`."""
    wanted = (subgoal.agent or "").strip()
    by_name = {agent.name.casefold(): agent.name for agent in reversed(agents)}
    if wanted.casefold() in by_name:
        return by_name[wanted.casefold()], "named by the decomposition", False
    absent = f'agent "{wanted}" does not exist; ' if wanted else ""
    for share, words, agent in rank_agents(agents, subgoal.description, _COMMON)[:1]:
        if share >= params.match_from and len(words) >= params.match_words:
            shared = ", ".join(words[:6])
            return agent.name, f"{absent}its description mentions {shared}", bool(wanted)
    return None, f"{absent}no agent's description fits" if agents else f"{absent}no agents are defined", bool(wanted)


def _to_task(subgoal: Subgoal, agent: str | None, reason: str, wave: int) -> Task:
    return Task(
        id=subgoal.id,
        description=subgoal.description,
        agent=agent,
        reason=reason,
        depends_on=subgoal.depends_on,
        critical=subgoal.critical,
        wave=wave,
        where=subgoal.where,
    )


def _to_missing_agent(subgoal: Subgoal) -> MissingAgent:
    name = (subgoal.agent or "").strip()
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "agent"
    return MissingAgent(
        subgoal=subgoal.id,
        agent=name,
        description=f"An agent that can do tasks such as: {subgoal.description[:300]}",
        path=f".claude/agents/{slug}.md",
    )


TOOL = Tool(
    name="tasks.route",
    title="Route tasks",
    description=(
        "Assign each subgoal to an existing agent (by name, else by its description) or to the host, with the reason, "
        "in waves by their dependencies where there are agents, and describe the missing agents."
    ),
    input=RouteInput,
    output=Plan,
    run=route_tasks,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "two subgoals, one after the other",
            {
                "subgoals": [
                    {"id": "s1", "description": "Find the parser"},
                    {"id": "s2", "description": "Explain its errors", "depends_on": ["s1"]},
                ]
            },
            {"match_from": 0.34, "match_words": 2},
        ),
    ),
    params=Params,
)
