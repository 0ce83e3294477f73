"""tables."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .all import Tables
    from .links import LinkRow
    from .nodes import NodeRow, NodeUpdate, StoredNode
    from .postings import DocumentRange
    from .records import UndoEntry
    from .references import ReferenceRow
    from .runs import RunHead, RunStep

__all__ = [
    "DocumentRange",
    "LinkRow",
    "NodeRow",
    "NodeUpdate",
    "ReferenceRow",
    "RunHead",
    "RunStep",
    "StoredNode",
    "Tables",
    "UndoEntry",
]

__getattr__ = export_lazily(
    __name__,
    {
        "all": ["Tables"],
        "links": ["LinkRow"],
        "nodes": ["NodeRow", "NodeUpdate", "StoredNode"],
        "postings": ["DocumentRange"],
        "records": ["UndoEntry"],
        "references": ["ReferenceRow"],
        "runs": ["RunHead", "RunStep"],
    },
)
