"""Context of a call: what a tool's function receives besides its input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from aurora.interpreter.run.call import PersonReply
    from aurora.tools.core.project import Project

ProgressCallback = Callable[[float, float | None, str], None]
"""`(done, total, message)`; total is None while it is unknown."""

Surface = Literal["cli", "mcp", "page", "phase", "python"]
"""Origin of a call: the command line, a host, the page, a phase of a workflow, or a program that imports Aurora."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Ignore a report of progress."""


class PhaseOrigin(NamedTuple):
    """Origin of a phase's call, as the engine knows it; no argument changes it.

    Attributes:
        workflow: the phase's workflow; empty for a call of another origin.
        run: its run; empty in the first call of a run.
        person: the reply of the person that this call brought, when it accepts; None without one.
    """

    workflow: str = ""
    run: str = ""
    person: PersonReply | None = None


NO_PHASE = PhaseOrigin()
"""Origin of a call that no phase makes."""


class Context(NamedTuple):
    """Context of one call: the project, the params, the request id and the progress callback.

    Attributes:
        project: the open project: `.root`, `.memory` (opened on first use), `.workflows`, `.engine`.
        params: the validated settings of the phase that `uses` the tool, an instance of the tool's `params` model.
        request_id: the same in the log line, the response's metadata and the trace.
        progress: the callback for reports of progress.
        surface: the origin of the call.
        phase: the workflow and the run, if a phase of a workflow makes the call.
    """

    project: Project
    params: Any
    request_id: str
    progress: ProgressCallback = ignore_progress
    surface: Surface = "python"
    phase: PhaseOrigin = NO_PHASE

    @property
    def root(self) -> Path:
        """Absolute, resolved folder of the project."""
        return self.project.root

    def require_memory(self) -> None:
        """Require that the project has a memory.

        Raises:
            Fault: NOT_FOUND without one; nothing is created.
        """
        from aurora import memory  # noqa: PLC0415 - a call that needs no memory does not load it

        if not memory.has_memory(self.root):
            database = memory.records_path(self.root)
            raise Fault(
                Code.NOT_FOUND,
                f'there is no memory at "{database}" yet',
                help="run `aur mem index` or `aur mem add` first",
                details={"path": str(database)},
            )

    def get_settings(self, model: type[BaseModel]) -> Any:
        """Return the params if they are of this model, else the defaults of the model."""
        return self.params if isinstance(self.params, model) else model()
