"""Protocols of the database: all storage operations of the memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .code_graph import Links, Nodes, References
    from .content import Chunks, Contents, Files, Records, Usage, Vectors
    from .store import Damage, Integrity, Meta, Postings, Runs, Sizes, Store, Tables

__all__ = [
    "Chunks",
    "Contents",
    "Damage",
    "Files",
    "Integrity",
    "Links",
    "Meta",
    "Nodes",
    "Postings",
    "Records",
    "References",
    "Runs",
    "Sizes",
    "Store",
    "Tables",
    "Usage",
    "Vectors",
]

__getattr__ = export_lazily(
    __name__,
    {
        "code_graph": ["Links", "Nodes", "References"],
        "content": ["Chunks", "Contents", "Files", "Records", "Usage", "Vectors"],
        "store": ["Damage", "Integrity", "Meta", "Postings", "Runs", "Sizes", "Store", "Tables"],
    },
)
