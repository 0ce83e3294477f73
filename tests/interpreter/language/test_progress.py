"""Progress of a run: the place of a phase on the way, whoever asks at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING, Any, cast

from aurora.interpreter import Catalog

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter.language.model import Workflow

THREADS = 3


class MeetingWorkflow:
    """Workflow whose names are listed when all threads ask for them."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._barrier = Barrier(THREADS)

    def map_phase_names(self) -> dict[str, str]:
        self._barrier.wait(60)
        return self._workflow.map_phase_names()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workflow, name)


def test_threads_that_ask_at_the_same_time_count_each_phase_once(tmp_path: Path) -> None:
    soar = Catalog(tmp_path).load("soar")
    shared = replace(soar, workflow=cast("Workflow", MeetingWorkflow(soar.workflow)))
    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(shared.format_progress, ["assess"] * THREADS))
    assert [*found, shared.format_progress("assess")] == ["1/9 assess"] * (THREADS + 1)
