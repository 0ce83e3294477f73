"""Ranking signal: share of the file's own name that the query contains."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer.tokens import extract_terms

from .signal import CandidateSignal

if TYPE_CHECKING:
    from .signal import CandidateInputs


def compute_name_coverage(inputs: CandidateInputs) -> float:
    """Return the share of the parts of the file's own name that the query contains."""
    whole, parts = split_file_name(inputs.path)
    if not parts:
        return 0.0
    weights = inputs.query.weights
    if whole in inputs.query.words:
        return weights.get(whole, 1.0)
    return sum(weights.get(part, 1.0) for part in parts.intersection(inputs.query.words)) / len(parts)


@lru_cache(maxsize=1 << 14)
def split_file_name(path: str) -> tuple[str, frozenset[str]]:
    """Split a file's own name into terms: `web_app.py` gives the whole and `web`, `app`."""
    terms = extract_terms(path.rpartition("/")[2].partition(".")[0])
    # the first of several is the whole name, which adds nothing to its parts
    return terms[0] if terms else "", frozenset(terms[1:] if len(terms) > 1 else terms)


FILE_NAME = CandidateSignal(name="stem", weight=0.3, compute=compute_name_coverage)
