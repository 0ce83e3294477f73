"""Functional checks of a project's MCP configuration, for programs."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aurora import doctor
from aurora.faults import Code, Fault
from aurora.memory.files import has_memory
from aurora.tools.runtime import Workspace

from .doctor_fixtures import ProjectEquipment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from aurora.doctor import Finding, FixStep, Report

_CHECKS = ("mcp", "memory.opens", "memory.whole", "project.folder")


class MCPFunctionalChecks:
    """Functional checks of the MCP configuration of one project.

    They are the group `mcp` of `aur doctor`, and of other groups what an assistant's call needs: the assistants' files
    are valid and name a server that starts and offers exactly the three tools; tools and phases can be loaded; the
    memory opens and is whole; the folder `.aurora/` exists; the assistants' texts name servers that exist.

    Args:
        project: the project's folder.

    Raises:
        Fault: NOT_FOUND when the folder does not exist.
    """

    def __init__(self, project: str | PathLike[str] = ".") -> None:
        self._root = Path(project).expanduser().resolve()
        if not self._root.is_dir():
            raise Fault(Code.NOT_FOUND, f'the project "{project}" is not a folder', help="Name an existing folder.")
        self._report: Report | None = None

    def run_all(self) -> tuple[Finding, ...]:
        """Run the checks and return all findings in order; change nothing.

        Each finding has a `status` (pass, warn, fail or skip), a `message`, a stable `kind`, and with a problem a
        `remedy` with its `steps`.
        """
        self._report = self._examine_project()
        return tuple(self._report.findings)

    def get_fixable_issues(self) -> tuple[Finding, ...]:
        """Return the warnings and failures that `fix_all` can fix; run the checks if they have not run."""
        return self._get_report().fixable_findings

    def get_manual_issues(self) -> tuple[Finding, ...]:
        """Return the warnings and failures that need a person, each with its steps; run the checks if needed."""
        return self._get_report().manual_findings

    def fix_all(self) -> tuple[FixStep, ...]:
        """Fix the fixable issues as `aur doctor --fix` does, run the checks again, and return each step.

        Raises:
            Fault: INVALID_INPUT when the project is the home folder or the root of the file system.
        """
        with self._open_context(writes=True) as context:
            steps, self._report = doctor.fix_findings(context, _CHECKS)
        return steps

    def _get_report(self) -> Report:
        if self._report is None:
            self._report = self._examine_project()
        return self._report

    def _examine_project(self) -> Report:
        with self._open_context(writes=False) as context:
            return doctor.examine_project(context, _CHECKS)

    @contextmanager
    def _open_context(self, *, writes: bool) -> Iterator[doctor.DoctorContext]:
        untouched = not writes and not has_memory(self._root)
        with Workspace(self._root, untouched=untouched) as workspace:
            yield doctor.DoctorContext(self._root, ProjectEquipment(workspace))
