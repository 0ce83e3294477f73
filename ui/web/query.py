"""Values of a query in an address: bounded, and a wrong one is as none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_DIGITS = 9


def read_text(query: Mapping[str, str], name: str, most: int = 200) -> str:
    """Return a text of at most `most` characters, without blanks around it; empty without one."""
    return query.get(name, "").strip()[:most]


def read_count(query: Mapping[str, str], name: str, default: int = 0) -> int:
    """Return a number from 0; `default` for anything else."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else default
