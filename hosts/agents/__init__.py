"""Discovery of the agent definitions that hosts read."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .agent import Agent, AgentCatalog, AgentProblem, AgentScope
    from .find import MAX_AGENT_FILES, discover_agents, list_agent_files, read_agent_bytes
    from .frontmatter import parse_frontmatter
    from .locations import AGENT_LOCATIONS, AgentLocation

__all__ = [
    "AGENT_LOCATIONS",
    "MAX_AGENT_FILES",
    "Agent",
    "AgentCatalog",
    "AgentLocation",
    "AgentProblem",
    "AgentScope",
    "discover_agents",
    "list_agent_files",
    "parse_frontmatter",
    "read_agent_bytes",
]

__getattr__ = export_lazily(
    __name__,
    {
        "agent": ["Agent", "AgentCatalog", "AgentProblem", "AgentScope"],
        "find": ["MAX_AGENT_FILES", "discover_agents", "list_agent_files", "read_agent_bytes"],
        "frontmatter": ["parse_frontmatter"],
        "locations": ["AGENT_LOCATIONS", "AgentLocation"],
    },
)
