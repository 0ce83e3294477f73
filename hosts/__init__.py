"""The assistants that call Aurora, and the agents that their people have defined for them."""

from .agent import Agent, AgentProblem, Agents, Scope
from .agents import discover_agents
from .places import AGENT_PLACES, AgentPlace

__all__ = ["AGENT_PLACES", "Agent", "AgentPlace", "AgentProblem", "Agents", "Scope", "discover_agents"]
