"""A journalled value made short enough to be read beside others."""

from __future__ import annotations

from typing import Any

IN_SHORT = (160, 4)
"""Characters of a text, members of a list."""
IN_FULL = (6000, 100)


def brief(value: Any, characters: int, members: int) -> Any:
    """The value with long texts and long lists cut; what is left out is counted.

    Args:
        value: JSON values, as deep as a call may be.
        characters: the longest text that stays whole.
        members: the longest list that stays whole.
    """
    if isinstance(value, str) and len(value) > characters:
        return f"{value[:characters]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: brief(inner, characters, members) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        shown = [brief(inner, characters, members) for inner in value[:members]]
        return shown if len(value) <= members else [*shown, f"… ({len(value) - members} more)"]
    return value
