"""Limits of time for the files of one indexing: what some take in vain shortens those of the others."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from . import process

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.indexing.parse import ParseJob

MAX_LOST_SECONDS = 60.0
"""Time that workers may take in vain until the limits follow the size of the files: a project with a few such files is
indexed as usual, and one that has thousands of them delays for minutes instead of hours."""
LEAST_SECONDS = 1.0
BYTES_PER_SECOND = 100_000
"""The limits after that; code of any language is parsed ten times as fast on a slow machine."""
_SHORT_BYTES = 200_000
"""Size up to which a batch has no more time than a file, which may be five times as long."""


class TimeLimits:
    """Limits of the workers of one indexing. Safe for use from several threads.

    Attributes:
        lost: the seconds of the workers that ended without an answer.
    """

    def __init__(self) -> None:
        self.lost = 0.0
        self._lock = threading.Lock()

    def count_lost(self, seconds: float) -> None:
        """Count the time of a worker that ended without an answer."""
        with self._lock:
            self.lost += seconds

    def choose_limit(self, jobs: Sequence[ParseJob]) -> float:
        """Choose the seconds after which the worker of a batch is killed."""
        size = sum(job.file.size for job in jobs)
        usual = process.FILE_TIMEOUT if len(jobs) == 1 or size <= _SHORT_BYTES else process.BATCH_TIMEOUT
        if self.lost < MAX_LOST_SECONDS:
            return usual
        return min(usual, LEAST_SECONDS + size / BYTES_PER_SECOND)
