"""The assistants that call Aurora: where they keep what, and the agents that their people have defined for them."""

from .agent import Agent, AgentProblem, Agents, Scope
from .agents import discover_agents
from .applying import apply
from .change import Change, Plan, Trouble
from .detecting import evidence, in_use, named
from .host import Extra, Host
from .launch import Launch
from .person import Person
from .places import AGENT_PLACES, AgentPlace
from .planning import plan
from .registry import HOSTS
from .removing import plan_removal
from .starting import OFFERED, Started, started
from .state import State, state, states

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
