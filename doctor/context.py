"""Context of the checks: project, user, environment and services."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from aurora.hosts import UserPaths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter import Catalog
    from aurora.trust import OwnDefinitions, TrustStatus


class CommandStatus(NamedTuple):
    """Program that phases may run, as a line; `missing` says why it cannot be run."""

    text: str
    missing: str


class ToolStatus(NamedTuple):
    """Tool of an installed distribution; `fault` says why it cannot be used, and is empty if it can."""

    name: str
    distribution: str
    fault: str


class Equipment(Protocol):
    """Services of `tools/` that the checks exercise; `tools/` passes them in.

    The tool `doctor.run` imports this package, so importing the tools here would form a cycle.
    """

    def offered(self) -> tuple[str, ...]:
        """Load the default MCP tools and return their names."""

    def catalog(self) -> Catalog:
        """Return the workflows of the project."""

    def trust(self) -> TrustStatus:
        """Return whether the project is trusted, and why."""

    def own_definitions(self) -> OwnDefinitions:
        """Return the files of the project's own workflows and agents."""

    def unused_definitions(self) -> OwnDefinitions:
        """Return those of these files that are not used, since the person was not shown their content."""

    def is_used(self, path: Path, content: bytes) -> bool:
        """Return whether a file of the project is trusted with this content."""

    def allowed_commands(self) -> Sequence[CommandStatus]:
        """Return the programs that phases may run in the project.

        Raises:
            Fault: the user's configuration is wrong, so that none is allowed.
        """

    def extension_tools(self) -> Sequence[ToolStatus]:
        """Return the tools of installed distributions."""

    def skill(self) -> str:
        """Return the current text of SKILL.md."""

    def skill_reference(self) -> str:
        """Return the current text of the reference next to SKILL.md."""

    @property
    def workflow(self) -> str:
        """Name of the default workflow."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """Project on a machine, as the checks see it.

    Attributes:
        root: the project's folder, resolved.
        equipment: the services that the checks exercise.
        person: the user whose files and programs count.
        environ: the environment variables.
        patience: timeout in seconds for a server's first answer; assistants allow between 10 and 60.
        named_url: an address that the person named in this command, and that may be asked in any folder.
        progress: called during long fixes with `(done, total, message)`.
    """

    root: Path
    equipment: Equipment
    person: UserPaths = field(default_factory=UserPaths.from_environment)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    patience: float = 15.0
    progress: Callable[[float, float | None, str], None] = ignore_progress
    named_url: str = ""
