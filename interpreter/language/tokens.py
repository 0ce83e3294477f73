"""Tokens of a text, estimated from its characters."""

from __future__ import annotations

from math import ceil

CHARACTERS_PER_TOKEN = 4
"""A rough estimate for English prose, code and JSON in current tokenizers."""


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: its characters / 4, rounded up."""
    return ceil(len(text) / CHARACTERS_PER_TOKEN)
