"""What a check found: a fault that a repair mends, or work that the next indexing completes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MemoryPart = Literal["file", "text", "words", "vectors", "graph", "journal"]

REPAIR_COMMAND = "aur mem repair"
INDEX_COMMAND = "aur mem index"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        part: what of the memory it is about.
        message: one line, names quoted.
        remedy: the command that puts it right.
        unfinished: nothing is wrong: a run was stopped, or is still going on, and the next one completes it.
    """

    part: MemoryPart
    message: str
    remedy: str = REPAIR_COMMAND
    unfinished: bool = False
