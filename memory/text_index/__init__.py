"""Inverted index of the chunks: tokenizer, posting lists, segments."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .index import DocumentTable, TextIndex
    from .pack import PackedPostings, pack_documents
    from .read import PostingList
    from .values import Document
    from .verify import rebuild_index
    from .write import build_document

__all__ = [
    "Document",
    "DocumentTable",
    "PackedPostings",
    "PostingList",
    "TextIndex",
    "build_document",
    "pack_documents",
    "rebuild_index",
]

__getattr__ = export_lazily(
    __name__,
    {
        "index": ["DocumentTable", "TextIndex"],
        "pack": ["PackedPostings", "pack_documents"],
        "read": ["PostingList"],
        "values": ["Document"],
        "verify": ["rebuild_index"],
        "write": ["build_document"],
    },
)
