"""An agent that a host can start, as its definition tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AgentScope = Literal["project", "person"]


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent definition; it stays where its host reads it.

    Attributes:
        name: what the host calls it.
        description: when to use it, in its author's words; may be empty.
        tools: the tools it may use; empty when its definition leaves that open.
        model: the model it asks for; None when it does not say.
        host: whose format the definition has: `claude-code`, `copilot`, `cursor`, `opencode`.
        scope: whether it belongs to the project or to the person.
        path: the definition's file: from the project's root, or from the home folder as `~/…`.
    """

    name: str
    description: str
    tools: tuple[str, ...]
    model: str | None
    host: str
    scope: AgentScope
    path: str


@dataclass(frozen=True, slots=True)
class AgentProblem:
    """What is wrong with the definition at this path, and what would be right."""

    path: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class AgentCatalog:
    """The agents by name, the project's before the person's, and the definitions that have something wrong."""

    agents: tuple[Agent, ...]
    problems: tuple[AgentProblem, ...]
