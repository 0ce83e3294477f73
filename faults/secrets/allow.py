"""Comments that allow a line after a review, as in other scanners."""

from __future__ import annotations

import re

ALLOW_COMMENT = re.compile(
    r"pragma:\s{0,4}allowlist secret|gitleaks:\s{0,4}allow|aurora:\s{0,4}allow[ -]secret|noqa:?\s{0,4}secret",
    re.IGNORECASE,
)
"""Comment on the line of a secret, or where it begins."""

_ALLOW_WORDS = ("allowlist secret", "gitleaks:", "aurora:", "noqa")
MAX_COMMENT_DISTANCE = 4_000
"""Characters on each side of a secret in which the comment must be."""


def is_allowed(text: str, start: int, end: int) -> bool:
    """Return True when the line of a secret has such a comment."""
    first = text.rfind("\n", max(0, start - MAX_COMMENT_DISTANCE), start) + 1 or max(0, start - MAX_COMMENT_DISTANCE)
    last = text.find("\n", start, end + MAX_COMMENT_DISTANCE)
    line = text[first : last if last >= 0 else end + MAX_COMMENT_DISTANCE]
    lowered = line.lower()
    return any(word in lowered for word in _ALLOW_WORDS) and ALLOW_COMMENT.search(line) is not None
