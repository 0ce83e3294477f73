"""Limit of the requests of one client: a token bucket per key, in bounded memory."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code

from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_KEYS = 10_000
"""Keys that are remembered; beyond them the one that was used longest ago is forgotten."""


class _Bucket(NamedTuple):
    """Level of a bucket at a time."""

    level: float
    at: float


class RateLimiter:
    """Limiter with one token bucket per key, for use in one thread.

    Args:
        per_second: the rate at which a bucket fills.
        burst: the size of a bucket, that is, the requests that may come at once.
        clock: returns seconds.
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one request out of the bucket of this key.

        Returns:
            0.0 if it is admitted, else the seconds until the next one is.
        """
        now = self._clock()
        before = self._buckets.pop(key, _Bucket(self._burst, now))
        level = min(self._burst, before.level + (now - before.at) * self._per_second)
        is_admitted = level >= 1.0
        self._buckets[key] = _Bucket(level - 1.0 if is_admitted else level, now)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        return 0.0 if is_admitted else (1.0 - level) / self._per_second

    def check(self, key: str) -> Refusal | None:
        """Take one request out of the bucket of this key; return a refusal with 429 if it is empty."""
        wait = math.ceil(self.take(key))
        if not wait:
            return None
        return Refusal.make(
            429,
            Code.RATE_LIMITED,
            f"more than {self._per_second:g} requests a second, after {self._burst:g} at once",
            f"Send the request again in {wait} s.",
            {"retry-after": str(wait)},
        )
