"""Where hosts keep their agent definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agent import Scope


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """A folder of agent definitions, from the project's root or the home folder; `nested` when subfolders count."""

    host: str
    scope: Scope
    folder: str
    nested: bool


AGENT_PLACES = (
    AgentPlace("claude-code", "project", ".claude/agents", nested=True),
    AgentPlace("copilot", "project", ".github/agents", nested=False),
    AgentPlace("opencode", "project", ".opencode/agent", nested=True),
    AgentPlace("opencode", "project", ".opencode/agents", nested=True),
    AgentPlace("cursor", "project", ".cursor/agents", nested=True),
    AgentPlace("claude-code", "person", ".claude/agents", nested=True),
    AgentPlace("copilot", "person", ".copilot/agents", nested=False),
    AgentPlace("opencode", "person", ".config/opencode/agent", nested=True),
    AgentPlace("opencode", "person", ".config/opencode/agents", nested=True),
    AgentPlace("cursor", "person", ".cursor/agents", nested=True),
)
"""In the order in which a name is settled: the first definition of a name is the one that counts."""
