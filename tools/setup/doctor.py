"""`doctor.run` and `doctor.fix`: check a project and its machine, and fix what is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import doctor
from aurora.tools.core import Command, Example, Switch, Tool

from .doctor_fixtures import build_doctor_context
from .doctor_model import DoctorInput, DoctorOutput, to_doctor_output

if TYPE_CHECKING:
    from aurora.tools.core import Context


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
