"""Tools for the agents that the project and the user define."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .match import find_agents, rank_agents

__all__ = ["find_agents", "rank_agents"]

__getattr__ = export_lazily(
    __name__,
    {
        "match": ["find_agents", "rank_agents"],
    },
)
