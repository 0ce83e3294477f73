"""Tables of the PostgreSQL database, one module per topic."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .contents import ContentTable
    from .damage import DamageQueries
    from .files import FileTable
    from .integrity import IntegrityQueries
    from .links import LinkTable
    from .meta import MetaTable
    from .nodes import NodeTable
    from .postings import PostingTable
    from .records import ChunkTable, RecordTable
    from .references import ReferenceTable
    from .runs import RunTable
    from .sizes import SizeQueries
    from .usage import UsageTable
    from .vectors import VectorTable

__all__ = [
    "ChunkTable",
    "ContentTable",
    "DamageQueries",
    "FileTable",
    "IntegrityQueries",
    "LinkTable",
    "MetaTable",
    "NodeTable",
    "PostingTable",
    "RecordTable",
    "ReferenceTable",
    "RunTable",
    "SizeQueries",
    "UsageTable",
    "VectorTable",
]

__getattr__ = export_lazily(
    __name__,
    {
        "contents": ["ContentTable"],
        "damage": ["DamageQueries"],
        "files": ["FileTable"],
        "integrity": ["IntegrityQueries"],
        "links": ["LinkTable"],
        "meta": ["MetaTable"],
        "nodes": ["NodeTable"],
        "postings": ["PostingTable"],
        "records": ["ChunkTable", "RecordTable"],
        "references": ["ReferenceTable"],
        "runs": ["RunTable"],
        "sizes": ["SizeQueries"],
        "usage": ["UsageTable"],
        "vectors": ["VectorTable"],
    },
)
