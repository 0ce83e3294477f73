"""Publisher of pushes: one thread for each push that finishes, which outlives its request."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .project import PushedProject

WAIT_SECONDS = 5.0
"""Seconds after which a request is answered though its push is still indexed; the client asks again."""


@dataclass
class _Job:
    """Push that finishes.

    Attributes:
        ended: set at its end.
        result: as `PushedProject.finish` returns it.
        fault: why it failed.
    """

    ended: Event = field(default_factory=Event)
    result: dict[str, Any] | None = None
    fault: Fault | None = None


class Publisher:
    """Publisher of one process. Safe for use from several threads.

    Args:
        index: indexes a folder of the named project.
    """

    def __init__(self, index: Callable[[str, Path], None]) -> None:
        self._index = index
        self._jobs: dict[tuple[str, str, str], _Job] = {}
        self._lock = Lock()

    def finish(self, name: str, project: PushedProject, person: str, identifier: str) -> dict[str, Any] | None:
        """Finish a push, or return None while that goes on.

        Args:
            name: of the project.
            project: the project.
            person: who pushes.
            identifier: of the push.

        Raises:
            Fault: as `PushedProject.finish`; UPSTREAM_ERROR when a file cannot be written.
        """
        place = (name, person, identifier)
        with self._lock:
            job = self._jobs.get(place)
            if job is None:
                job = self._jobs[place] = _Job()
                run = (job, name, project, person, identifier)
                Thread(target=self._run, args=run, name="push", daemon=True).start()
        if not job.ended.wait(WAIT_SECONDS):
            return None
        with self._lock:
            if self._jobs.get(place) is job:
                del self._jobs[place]
        if job.fault is not None:
            raise job.fault
        return job.result

    def _run(self, job: _Job, name: str, project: PushedProject, person: str, identifier: str) -> None:
        try:
            job.result = project.finish(person, identifier, lambda folder: self._index(name, folder))
        except Fault as fault:
            job.fault = fault
        except OSError as error:
            job.fault = make_write_fault(error)
        except Exception as error:  # noqa: BLE001 - without a fault, the client would ask for ever
            message = f"the push could not be finished ({type(error).__name__})"
            job.fault = Fault(Code.INTERNAL_ERROR, message, help="This is a bug in Aurora; push again, and report it.")
        finally:
            job.ended.set()


def make_write_fault(error: OSError) -> Fault:
    """Return the fault of a server that cannot write, without a path of the server."""
    message = f"the server cannot write the pushed files: {(error.strerror or 'unknown error').lower()}"
    return Fault(Code.UPSTREAM_ERROR, message, help="Tell the operator of the server, then push again.")
