"""Left-out parts: files that an indexing skips, and lines of results that contain a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults.secrets import count_left_out
from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable


class SkippedFile(StrictModel):
    """File that was not indexed, with the reason."""

    path: str
    reason: str
    detail: str = ""


def describe_left_out(texts: Iterable[tuple[str, str]]) -> str:
    """Describe the left out lines of `(name, text)` pairs; empty without any."""
    counts: dict[str, int] = {}
    for name, text in texts:
        if count := count_left_out(text):
            counts[name] = counts.get(name, 0) + count
    total = sum(counts.values())
    lines = "1 line" if total == 1 else f"{total} lines"
    return f"{lines} left out, with secrets: {', '.join(counts)}." if total else ""
