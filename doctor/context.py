"""What is examined: a project, its person, the environment, and what the doctor is handed to exercise."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from aurora.hosts import UserPaths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from aurora.interpreter import Catalog
    from aurora.interpreter.run import Toolbox


class Equipment(Protocol):
    """What lies to the left of this room and is exercised all the same; `tools/` hands it in.

    The tool `doctor.run` imports this room, so this room cannot import the tools: that would be a circle.
    """

    def offered(self) -> tuple[str, ...]:
        """The names under which MCP shows tools when nothing else is asked for; loads them."""

    def catalog(self) -> Catalog:
        """The workflows of the project."""

    def toolbox(self) -> Toolbox:
        """The tools that phases may use."""

    def skill(self) -> str:
        """The text of SKILL.md as it is now."""

    @property
    def workflow(self) -> str:
        """The workflow that is meant when none is named."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """One project on one machine.

    Attributes:
        root: the project's folder, resolved.
        equipment: what is exercised.
        person: whose files and programs count.
        environ: the environment's variables.
        patience: seconds that a server gets for its first answer; assistants give it between 10 and 60.
        progress: who watches long work of mending: `(done, total, message)`.
    """

    root: Path
    equipment: Equipment
    person: UserPaths = field(default_factory=UserPaths.from_environment)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    patience: float = 15.0
    progress: Callable[[float, float | None, str], None] = ignore_progress
