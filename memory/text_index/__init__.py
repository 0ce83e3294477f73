"""Inverted index of the chunks: tokenizer, posting lists, segments."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .index import DocumentTable, TextIndex, find_known_identifiers
    from .pack import PackedPostings, pack_documents
    from .read import OWN_NAME_BIT, Document, PostingList
    from .write import (
        MAX_SEGMENTS,
        add_chunk,
        add_documents,
        add_records,
        build_document,
        compact_segments,
        merge_segments,
        rebuild_index,
        verify_index,
    )

__all__ = [
    "MAX_SEGMENTS",
    "OWN_NAME_BIT",
    "Document",
    "DocumentTable",
    "PackedPostings",
    "PostingList",
    "TextIndex",
    "add_chunk",
    "add_documents",
    "add_records",
    "build_document",
    "compact_segments",
    "find_known_identifiers",
    "merge_segments",
    "pack_documents",
    "rebuild_index",
    "verify_index",
]

__getattr__ = export_lazily(
    __name__,
    {
        "index": ["DocumentTable", "TextIndex", "find_known_identifiers"],
        "pack": ["PackedPostings", "pack_documents"],
        "read": ["OWN_NAME_BIT", "Document", "PostingList"],
        "write": [
            "MAX_SEGMENTS",
            "add_chunk",
            "add_documents",
            "add_records",
            "build_document",
            "compact_segments",
            "merge_segments",
            "rebuild_index",
            "verify_index",
        ],
    },
)
