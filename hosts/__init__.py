"""The assistants that call Aurora: where they keep what, and the agents that their people have defined for them."""

from aurora.hosts.agents.agent import Agent, AgentProblem, Agents, Scope
from aurora.hosts.agents.find import discover_agents
from aurora.hosts.agents.locations import AGENT_PLACES, AgentPlace
from aurora.hosts.config.apply import apply
from aurora.hosts.config.change import Change, Plan, Trouble
from aurora.hosts.config.plan import plan
from aurora.hosts.config.remove import plan_removal
from aurora.hosts.config.status import State, state, states

from .detect import evidence, in_use, named
from .host import Extra, Host
from .launch import Launch
from .probe_server import OFFERED, Started, started
from .registry import HOSTS
from .user_paths import Person

__all__ = [
    "AGENT_PLACES",
    "HOSTS",
    "OFFERED",
    "Agent",
    "AgentPlace",
    "AgentProblem",
    "Agents",
    "Change",
    "Extra",
    "Host",
    "Launch",
    "Person",
    "Plan",
    "Scope",
    "Started",
    "State",
    "Trouble",
    "apply",
    "discover_agents",
    "evidence",
    "in_use",
    "named",
    "plan",
    "plan_removal",
    "started",
    "state",
    "states",
]
