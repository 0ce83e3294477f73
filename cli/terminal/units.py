"""Numbers in units for people."""

from __future__ import annotations

_THOUSAND = 1000.0


def format_bytes(count: float) -> str:
    """Return `1.4 MB`: decimal units, one digit after the point from kB on."""
    if count < _THOUSAND:
        return f"{count:,.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= _THOUSAND
        if count < _THOUSAND:
            return f"{count:.1f} {unit}"
    return f"{count / _THOUSAND:,.1f} TB"


def format_count(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`, `1,204 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_timestamp(stamp: str) -> str:
    """Return an ISO 8601 timestamp in UTC as `2026-03-04 05:06:07`."""
    return stamp[:19].replace("T", " ")
