"""Context of a question: chunks of the memory, and excerpts of their text as evidence."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .evidence import NO_EVIDENCE, Evidence, EvidenceLimits, RankedChunk, build_evidence, find_evidence

__all__ = ["NO_EVIDENCE", "Evidence", "EvidenceLimits", "RankedChunk", "build_evidence", "find_evidence"]

__getattr__ = export_lazily(
    __name__,
    {"evidence": ["NO_EVIDENCE", "Evidence", "EvidenceLimits", "RankedChunk", "build_evidence", "find_evidence"]},
)
