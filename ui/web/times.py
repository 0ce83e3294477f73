"""Times and durations in the words of the page."""

from __future__ import annotations

from datetime import UTC, datetime

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_MONTH = 30 * _DAY


def describe_moment(at: str, now: float) -> str:
    """Describe a time of the journal, ISO 8601 in UTC, by its distance from now, in seconds since 1970."""
    seconds = now - parse_moment(at)
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min ago"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h ago"
    return f"{seconds // _DAY:.0f} d ago" if seconds < _MONTH else at[:10]


def parse_moment(at: str) -> float:
    """Parse a time of the journal to seconds since 1970; 0 for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def describe_duration(seconds: float) -> str:
    """Describe a duration with two digits or so: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 3 min`."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
