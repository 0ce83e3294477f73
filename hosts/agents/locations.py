"""Locations of the hosts' agent definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agent import AgentScope


@dataclass(frozen=True, slots=True)
class AgentLocation:
    """Folder of agent definitions; `nested` includes its subfolders."""

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
"""In order of precedence: the first definition of a name counts."""
