"""Where hosts keep their agent definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agent import AgentScope


@dataclass(frozen=True, slots=True)
class AgentLocation:
    """A folder of agent definitions, from the project's root or the home folder; `nested` when subfolders count."""

    host: str
    scope: AgentScope
    folder: str
    nested: bool


AGENT_LOCATIONS = (
    AgentLocation("claude-code", "project", ".claude/agents", nested=True),
    AgentLocation("copilot", "project", ".github/agents", nested=False),
    AgentLocation("opencode", "project", ".opencode/agent", nested=True),
    AgentLocation("opencode", "project", ".opencode/agents", nested=True),
    AgentLocation("cursor", "project", ".cursor/agents", nested=True),
    AgentLocation("claude-code", "person", ".claude/agents", nested=True),
    AgentLocation("copilot", "person", ".copilot/agents", nested=False),
    AgentLocation("opencode", "person", ".config/opencode/agent", nested=True),
    AgentLocation("opencode", "person", ".config/opencode/agents", nested=True),
    AgentLocation("cursor", "person", ".cursor/agents", nested=True),
)
"""In the order in which a name is settled: the first definition of a name is the one that counts."""
