"""`doctor.run`, `doctor.fix` and the class of the MCP checks: check a project, and fix what is safe."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aurora import doctor
from aurora.errors import Code, Fault
from aurora.memory.files import has_memory
from aurora.tools import extensions
from aurora.tools.catalog.skill import render_skill
from aurora.tools.commands.policy import load_policy
from aurora.tools.commands.process import describe_missing_program
from aurora.tools.core import DEFAULT_WORKFLOW, Command, Example, Switch, Tool
from aurora.tools.runtime import Workspace, get_registry
from aurora.tools.trust import survey_project, survey_unused

from .model import DoctorInput, DoctorOutput, to_doctor_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from aurora.doctor import DoctorContext, Finding, FixStep, Report
    from aurora.interpreter import Catalog
    from aurora.tools.core import Context, Project
    from aurora.trust import OwnDefinitions, TrustStatus


class ProjectEquipment:
    """Tools and workflows of one project; implements `doctor.Equipment`."""

    workflow = DEFAULT_WORKFLOW

    def __init__(self, project: Project) -> None:
        self._project = project

    def offered(self) -> tuple[str, ...]:
        """Return the names of the tools that MCP lists by default."""
        # Loads the three tools, so that a broken installation shows here.
        return tuple(str(tool.mcp) for tool in get_registry().select_mcp())

    def catalog(self) -> Catalog:
        """Return the workflows of the project and the shipped ones."""
        return self._project.workflows

    def trust(self) -> TrustStatus:
        """Return whether the project is trusted, and why."""
        return self._project.trust.read_status()

    def own_definitions(self) -> OwnDefinitions:
        """Return the files of the project's own workflows and agents."""
        return survey_project(self._project.root)

    def unused_definitions(self) -> OwnDefinitions:
        """Return those of these files that are not used, since the person was not shown their content."""
        return survey_unused(self._project)

    def is_used(self, path: Path, content: bytes) -> bool:
        """Return whether a file of the project is trusted with this content."""
        return self._project.trust.is_unchanged(path, content)

    def allowed_commands(self) -> tuple[doctor.CommandStatus, ...]:
        """Return the programs that the person allows in the project.

        Raises:
            Fault: their configuration is wrong.
        """
        root = self._project.root
        return tuple(
            doctor.CommandStatus(command.describe(), describe_missing_program(command, root))
            for command in load_policy(root).commands
        )

    def extension_tools(self) -> tuple[doctor.ToolStatus, ...]:
        """Return the tools of installed distributions."""
        return tuple(
            doctor.ToolStatus(entry.name, entry.distribution, tool.message if isinstance(tool, Fault) else "")
            for entry, tool in extensions.list_extensions(self._project.root)
        )

    def skill(self) -> str:
        """Return the current text of SKILL.md."""
        return render_skill()


def build_doctor_context(context: Context, url: str = "") -> DoctorContext:
    """Build the doctor's context from the context of a call; `url` is an address that the person named."""
    equipment = ProjectEquipment(context.project)
    return doctor.DoctorContext(context.root, equipment, progress=context.progress, named_url=url)


def run_doctor(given: DoctorInput, context: Context) -> DoctorOutput:
    """Run the checks; change nothing.

    Raises:
        Fault: NOT_FOUND for a check that does not exist.
    """
    found = doctor.examine_project(build_doctor_context(context), given.only, progress=context.progress)
    return to_doctor_output(str(context.root), found)


def fix_findings(given: DoctorInput, context: Context) -> DoctorOutput:
    """Fix what is safe to fix, and run the checks again.

    Raises:
        Fault: NOT_FOUND for a check that does not exist, INVALID_INPUT in the home folder.
    """
    steps, report = doctor.fix_findings(build_doctor_context(context), given.only)
    return to_doctor_output(str(context.root), report, steps)


TOOLS = (
    Tool(
        name="doctor.run",
        title="Check the project and the machine",
        description=(
            "Check the project and the machine: the assistants' files and their references, the server, which is "
            "started in both eras of the protocol, the workflows, the memory, the folder .aurora, Python, SQLite, the "
            "disk, the environment. Each problem comes with its remedy. Nothing is changed."
        ),
        input=DoctorInput,
        output=DoctorOutput,
        run=run_doctor,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=120.0,
        examples=(
            Example("The machine alone", {"only": ["system"]}),
            Example("The workflows", {"only": ["workflows"]}),
        ),
        mcp="aurora_doctor",
        command=Command(
            "doctor",
            "Check this project's setup and report how to fix problems.",
            switches={"fix": Switch("doctor.fix", "Apply the safe fixes, report each, and check again.")},
        ),
    ),
    Tool(
        name="doctor.fix",
        title="Fix what is safe to fix",
        description=(
            "Fix what needs no decision: missing folders, entries that are missing or whose program is gone, an "
            "outdated memory, wrong permissions. Each step is reported, then the checks run again. Each file of an "
            "assistant is backed up first."
        ),
        input=DoctorInput,
        output=DoctorOutput,
        run=fix_findings,
        family="admin",
        risk="write",
        idempotent=True,
        timeout=3600.0,
        examples=(Example("The folder .aurora", {"only": ["project"]}),),
    ),
)


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
        # A check changes no byte: where there is no memory, opening the project would make one.
        untouched = not writes and not has_memory(self._root)
        with Workspace(self._root, untouched=untouched) as workspace:
            yield doctor.DoctorContext(self._root, ProjectEquipment(workspace))
