"""Tells work whose time grows with the size of its input from work whose time grows with the square of it."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOKS = 5
_SHORTEST = 0.3
"""Seconds of processor time below which no growth is told from noise."""


def is_linear(run: Callable[[str], object], short: str, long: str) -> bool:
    """Say whether the processor time of ``run`` grows with the length of a text.

    The limit lies half-way (in logarithms) between the ratio of the lengths and its square. A machine whose speed
    changes between two measurements can make linear work look worse, so that one look of several decides.
    """
    ratio = len(long) / len(short)
    return any(_is_below(run, short, long, ratio**1.5) for _ in range(_LOOKS))


def _is_below(run: Callable[[str], object], short: str, long: str, limit: float) -> bool:
    return _measure(run, long) < max(limit * _measure(run, short), _SHORTEST)


def _measure(run: Callable[[str], object], text: str) -> float:
    """Measure seconds of processor time, without collections, which take longer the more a test process has loaded."""
    gc.disable()
    try:
        started = time.process_time()
        run(text)
        return time.process_time() - started
    finally:
        gc.enable()
