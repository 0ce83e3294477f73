"""Agent definitions of the hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AgentScope = Literal["project", "person"]


@dataclass(frozen=True, slots=True)
class Agent:
    """Agent definition; it stays in the file that its host reads.

    Attributes:
        name: the name in the host.
        description: when to use it, as its author wrote it.
        tools: the tools it may use; empty if the definition names none.
        model: the model that the definition names, or None.
        host: the host of the definition's format: `claude-code`, `copilot`, `cursor`, `opencode`.
        scope: `project` or `person`.
        path: the definition's file, relative to the project, or as `~/…`.
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
    """Problem in an agent definition file, which is not offered, with its fix."""

    path: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class AgentCatalog:
    """Agents by name, project agents first, and the problems in their files."""

    agents: tuple[Agent, ...]
    problems: tuple[AgentProblem, ...]
