"""Embeddings: tokenizer, embedder, vector index."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .embedder import DIMENSIONS, Embedder, embed_quantized, get_embedder, get_load_error
    from .full_model import FullModel
    from .matrix import VectorIndex
    from .vectors import UNRELATED_COSINE, compute_cosines, normalize_rows

__all__ = [
    "DIMENSIONS",
    "UNRELATED_COSINE",
    "Embedder",
    "FullModel",
    "VectorIndex",
    "compute_cosines",
    "embed_quantized",
    "get_embedder",
    "get_load_error",
    "normalize_rows",
]

__getattr__ = export_lazily(
    __name__,
    {
        "embedder": ["DIMENSIONS", "Embedder", "embed_quantized", "get_embedder", "get_load_error"],
        "full_model": ["FullModel"],
        "matrix": ["VectorIndex"],
        "vectors": ["UNRELATED_COSINE", "compute_cosines", "normalize_rows"],
    },
)
