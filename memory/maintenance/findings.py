"""Findings of a check: damage to repair, or indexing to finish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MemoryPart = Literal["file", "text", "words", "vectors", "graph", "journal"]

REPAIR_COMMAND = "aur mem repair"
INDEX_COMMAND = "aur mem index"


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding of a check.

    Attributes:
        part: the part of the memory.
        message: one line, names quoted.
        remedy: the command that fixes it.
        unfinished: not damaged: indexing was interrupted or is running, and the next one completes it.
    """

    part: MemoryPart
    message: str
    remedy: str = REPAIR_COMMAND
    unfinished: bool = False
