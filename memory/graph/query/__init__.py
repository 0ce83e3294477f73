"""Queries of the code graph: nodes by name, links, paths, differences."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .diff import Change, compare_graphs
    from .graph import Graph

__all__ = ["Change", "Graph", "compare_graphs"]

__getattr__ = export_lazily(
    __name__,
    {
        "diff": ["Change", "compare_graphs"],
        "graph": ["Graph"],
    },
)
