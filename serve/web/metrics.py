"""Metrics in the text format of Prometheus, of this process or of all workers together."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of the library: the folder in which workers keep their figures; set for them by the parent process."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


class Metrics:
    """Figures of a server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        names = ("route", "project")
        self._requests = Counter(
            "aurora_http_requests", "Requests by status.", (*names, "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "aurora_http_request_seconds", "Durations of requests.", names, registry=self._registry, buckets=_SECONDS
        )
        self._running = Gauge(
            "aurora_http_requests_running",
            "Requests that run now.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def start_request(self) -> None:
        """Count a request that begins."""
        self._running.inc()

    def finish_request(self, route: str, project: str, status: int, seconds: float) -> None:
        """Count a request that has ended.

        Args:
            route: its kind, one of a few words.
            project: the name of a served project, or empty.
            status: its HTTP status.
            seconds: its duration.
        """
        self._running.dec()
        self._requests.labels(route, project, str(status)).inc()
        self._seconds.labels(route, project).observe(seconds)

    def render(self) -> bytes:
        """Return the figures as text."""
        folder = os.environ.get(FOLDER_VARIABLE)
        if not folder:
            return generate_latest(self._registry)
        for process in _list_dead_processes(Path(folder)):
            multiprocess.mark_process_dead(process, folder)  # type: ignore[no-untyped-call] # of the library
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call] # as above
        return generate_latest(registry)


def _list_dead_processes(folder: Path) -> Iterator[int]:
    """Yield the workers that were killed while they counted requests as running."""
    for path in folder.glob("gauge_live*.db"):
        process = path.stem.rpartition("_")[2]
        if process.isdecimal() and not _is_alive(int(process)):
            yield int(process)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
