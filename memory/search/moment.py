"""Parser of times: dates, times of day and ages."""

from __future__ import annotations

import re
import time
from datetime import datetime

from aurora.faults import ArgumentFault, Code

_AGE = re.compile(r"(\d{1,9})\s*([smhdw])")
_MAX_SECONDS = 9 * 10**9
"""Time in the year 2255 that still fits into 64 bits as nanoseconds; a later one finds the same."""
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_moment(moment: str, now: float | None = None) -> int:
    """Parse a date, time or age as nanoseconds since 1970.

    Args:
        moment: ISO 8601, local where it names no zone: `2026-01-31`, `2026-01-31T09:00:00Z`; or an age: `90m`, `12h`,
            `3d`, `2w`.
        now: seconds since 1970; the current time when None.

    Raises:
        Fault: INVALID_INPUT when it is neither.
    """
    text = moment.strip()
    if age := _AGE.fullmatch(text):
        seconds = int(age[1]) * _UNIT_SECONDS[age[2]]
        return int((time.time() if now is None else now) - min(seconds, 10**10)) * 10**9
    try:
        seconds = int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ArgumentFault(
            Code.INVALID_INPUT,
            f'"{moment[:80]}" is not a date, time or age',
            help='write a date as "2026-01-31", a time as "2026-01-31T09:00", or an age as "3d", "12h" or "90m"',
            details={"changed_since": moment[:80]},
        ) from None
    return max(-_MAX_SECONDS, min(seconds, _MAX_SECONDS)) * 10**9
