"""Embeddings: tokenizer, embedder, vector index."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .embedder import (
        DIMENSIONS,
        Embedder,
        embed_quantized,
        find_highest_cosines,
        get_embedder,
        get_load_error,
        quantize_vectors,
    )
    from .full_model import FullModel
    from .semantic_model import SEMANTIC_DIMENSIONS, SemanticModel, get_semantic_error, get_semantic_model
    from .vectors import UNRELATED_COSINE, VectorIndex, compute_cosines, normalize_rows

__all__ = [
    "DIMENSIONS",
    "SEMANTIC_DIMENSIONS",
    "UNRELATED_COSINE",
    "Embedder",
    "FullModel",
    "SemanticModel",
    "VectorIndex",
    "compute_cosines",
    "embed_quantized",
    "find_highest_cosines",
    "get_embedder",
    "get_load_error",
    "get_semantic_error",
    "get_semantic_model",
    "normalize_rows",
    "quantize_vectors",
]

__getattr__ = export_lazily(
    __name__,
    {
        "embedder": [
            "DIMENSIONS",
            "Embedder",
            "embed_quantized",
            "find_highest_cosines",
            "get_embedder",
            "get_load_error",
            "quantize_vectors",
        ],
        "full_model": ["FullModel"],
        "semantic_model": ["SEMANTIC_DIMENSIONS", "SemanticModel", "get_semantic_error", "get_semantic_model"],
        "vectors": ["UNRELATED_COSINE", "VectorIndex", "compute_cosines", "normalize_rows"],
    },
)
