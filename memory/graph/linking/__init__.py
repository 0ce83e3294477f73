"""Linking of references to definitions, and paths through the linked graph."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .adjacency import PathFinder, store_packed
    from .link import link_references, write_facts

__all__ = ["PathFinder", "link_references", "store_packed", "write_facts"]

__getattr__ = export_lazily(
    __name__,
    {"adjacency": ["PathFinder", "store_packed"], "link": ["link_references", "write_facts"]},
)
