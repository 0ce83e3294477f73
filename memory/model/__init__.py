"""Value types of the memory: chunks, symbols, graph, runs, reports."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .chunks import Chunk, ChunkType, Hit, SearchResult
    from .graph import Link, LinkFilter, LinkPage, Node, Side, UnresolvedUse
    from .indexing import FileFingerprint, ParsedFile
    from .json_columns import clean_text, decode_json, encode_json, get_timestamp
    from .pieces import ChunkedFile, Piece
    from .reports import IndexReport, SkippedFile, Stats
    from .rows import (
        ChunkRow,
        build_row,
        compute_chunk_id,
        extract_name,
        format_embedding_text,
        make_id_builder,
        normalize_text,
    )
    from .runs import RunJournal, RunRow, StepRow
    from .symbols import (
        CALL,
        CONTAINS,
        EDGE_KINDS,
        IMPL_PREFIX,
        IMPLEMENTS,
        IMPORT,
        INHERITS,
        MENTIONS,
        GraphDefinition,
        GraphFacts,
        ImportBinding,
        ReferenceColumns,
    )

__all__ = [
    "CALL",
    "CONTAINS",
    "EDGE_KINDS",
    "IMPLEMENTS",
    "IMPL_PREFIX",
    "IMPORT",
    "INHERITS",
    "MENTIONS",
    "Chunk",
    "ChunkRow",
    "ChunkType",
    "ChunkedFile",
    "FileFingerprint",
    "GraphDefinition",
    "GraphFacts",
    "Hit",
    "ImportBinding",
    "IndexReport",
    "Link",
    "LinkFilter",
    "LinkPage",
    "Node",
    "ParsedFile",
    "Piece",
    "ReferenceColumns",
    "RunJournal",
    "RunRow",
    "SearchResult",
    "Side",
    "SkippedFile",
    "Stats",
    "StepRow",
    "UnresolvedUse",
    "build_row",
    "clean_text",
    "compute_chunk_id",
    "decode_json",
    "encode_json",
    "extract_name",
    "format_embedding_text",
    "get_timestamp",
    "make_id_builder",
    "normalize_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "chunks": ["Chunk", "ChunkType", "Hit", "SearchResult"],
        "graph": ["Link", "LinkFilter", "LinkPage", "Node", "Side", "UnresolvedUse"],
        "indexing": ["FileFingerprint", "ParsedFile"],
        "json_columns": ["clean_text", "decode_json", "encode_json", "get_timestamp"],
        "pieces": ["ChunkedFile", "Piece"],
        "reports": ["IndexReport", "SkippedFile", "Stats"],
        "rows": [
            "ChunkRow",
            "build_row",
            "compute_chunk_id",
            "extract_name",
            "format_embedding_text",
            "make_id_builder",
            "normalize_text",
        ],
        "runs": ["RunJournal", "RunRow", "StepRow"],
        "symbols": [
            "CALL",
            "CONTAINS",
            "EDGE_KINDS",
            "GraphDefinition",
            "GraphFacts",
            "IMPLEMENTS",
            "IMPL_PREFIX",
            "IMPORT",
            "INHERITS",
            "ImportBinding",
            "MENTIONS",
            "ReferenceColumns",
        ],
    },
)
