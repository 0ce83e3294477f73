"""What a tool's function is handed besides its input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from aurora.tools.core.project import Project

ProgressCallback = Callable[[float, float | None, str], None]
"""`(done, total, message)`; total None when it is not known yet."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class Context:
    """One invocation: the project it is about, its settings, who watches, and how long it may take.

    Attributes:
        project: the open project: `.root`, `.memory` (opened on first use), `.workflows`, `.engine`.
        params: the validated settings of the phase that `uses` the tool, an instance of the tool's `params` model.
        request_id: the same in the log line, the response's metadata and the trace.
    """

    project: Project
    params: Any
    request_id: str
    progress: ProgressCallback = field(default=ignore_progress)

    @property
    def root(self) -> Path:
        """The project's folder, absolute and resolved."""
        return self.project.root

    def get_settings(self, model: type[BaseModel]) -> Any:
        """The params, when they are of this model; its defaults otherwise."""
        return self.params if isinstance(self.params, model) else model()
