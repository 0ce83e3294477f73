"""doctor.run and doctor.fix: what is wrong with a project and its machine, and what is safe to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core import Command, Example, Switch, Tool

from .doctor_model import DoctorInput, DoctorOutput, to_doctor_output

if TYPE_CHECKING:
    from aurora.tools.core import Context


def run_doctor(given: DoctorInput, context: Context) -> DoctorOutput:
    """Look at everything; nothing is changed.

    Raises:
        Fault: NOT_FOUND for a check that does not exist.
    """
    from aurora.doctor import examine_project  # noqa: PLC0415 - listing tools must not pay for the doctor

    from .doctor_fixtures import build_doctor_context  # noqa: PLC0415 - as above

    return to_doctor_output(str(context.root), examine_project(build_doctor_context(context), given.only))


def fix_findings(given: DoctorInput, context: Context) -> DoctorOutput:
    """Mend what is safe to mend, and look again.

    Raises:
        Fault: NOT_FOUND for a check that does not exist, INVALID_INPUT in the home folder.
    """
    from aurora.doctor import fix_findings  # noqa: PLC0415 - as above

    from .doctor_fixtures import build_doctor_context  # noqa: PLC0415 - as above

    steps, report = fix_findings(build_doctor_context(context), given.only)
    return to_doctor_output(str(context.root), report, steps)


TOOLS = (
    Tool(
        name="doctor.run",
        title="What is wrong here",
        description=(
            "Examine the project and the machine: the assistants' files and what they refer to, the server, which is "
            "really started in both eras of the protocol, the workflows, the memory, the folder .aurora, Python, "
            "SQLite, the disk, the environment. Each finding that is not right tells what puts it right. Nothing is "
            "changed."
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
        title="Mend what is safe to mend",
        description=(
            "Mend what the doctor finds and nobody need decide: missing folders, entries that are missing or whose "
            "program is gone, a memory behind its files, wrong permissions, leftovers of removed tools. Each step is "
            "told, and then the project is examined again. Each file of an assistant is kept first."
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
