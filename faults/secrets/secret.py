"""Place of a secret in a text."""

from __future__ import annotations

from typing import NamedTuple


class Secret(NamedTuple):
    """Place of a secret; its value is never stored with it.

    Attributes:
        kind: what it is, with an article: `a GitHub token`.
        start, end: offsets of the value in the text, the end not included.
    """

    kind: str
    start: int
    end: int
