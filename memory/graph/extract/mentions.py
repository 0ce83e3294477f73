"""Mentions: names of code between backticks, in documents and in comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN = re.compile(rb"`~?([A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?`")
_MIN_CHARS = 3


def find_mentions(text: bytes) -> Iterator[tuple[int, str]]:
    """Find the names between backticks, with the first byte of each; parts are joined by dots."""
    if b"`" not in text:
        return
    for match in _SPAN.finditer(text):
        name = match[1].decode("utf-8", "replace").replace("::", ".").replace("#", ".")
        if len(name) >= _MIN_CHARS:
            yield match.start(1), name
