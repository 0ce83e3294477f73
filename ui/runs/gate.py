"""Questions of waiting runs to the person, and the reply through the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.interpreter.run import PersonReply
from aurora.tools import runs

from .form import FormField, build_fields, read_content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Project
    from aurora.ui.web import PageRequest

HOW = "page"
"""The way in which a person replied, in the journal."""
_SHOWN = 10
"""Questions on the list of runs; the others are in the list below them."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Question with the fields of its form.

    Attributes:
        digest: the hash of the question, so that nobody replies to another one than they saw.
        leads: where each reply leads.
    """

    run: str
    workflow: str
    message: str
    step: int
    digest: str
    fields: Sequence[FormField]
    leads: str


def list_gates(project: Project) -> list[Gate]:
    """List the questions of the newest runs that wait for the person."""
    found = []
    for row in project.memory.journal.runs(_SHOWN, status="waiting"):
        gate = find_gate(project, row.run)
        if gate is not None:
            found.append(gate)
    return found


def find_gate(project: Project, run: str) -> Gate | None:
    """Find the question of a run; None when it does not wait, or its workflow can no longer ask."""
    try:
        question = runs.find_question(project, run)
        head, steps = project.memory.journal.head(run), project.memory.journal.steps(run)
    except Fault:
        return None
    wait = runs.find_wait(project, head.workflow, steps[-1].document) if head and steps else None
    return Gate(
        question.run,
        question.workflow,
        question.message,
        question.step,
        question.digest,
        build_fields(question),
        runs.describe_wait(wait.model_dump()) if wait else "",
    )


def reply(page: PageRequest, run: str) -> None:
    """Send the reply of the form.

    Raises:
        Fault: CONFLICT when the question has changed since the person saw it, INVALID_INPUT for values that do not fit
            the form, and what the engine refuses.
    """
    question = runs.find_question(page.project, run)
    if question.digest != page.field("question") or str(question.step) != page.field("step"):
        message = "the run asks something else now"
        raise Fault(Code.CONFLICT, message, help="Open the page again, and read the question before you reply.")
    decision = page.field("decision")
    if decision not in {"approve", "decline"}:
        raise Fault(Code.INVALID_INPUT, "the form has no decision", help="Use one of its two buttons.")
    accepts = decision == "approve"
    content = read_content(question, page.form) if accepts else None
    answer = PersonReply(accepts, HOW, page.visitor.name)
    response = runs.reply_to_question(page.project, question, answer, content, surface="page")
    error = response.get("error")
    if response["status"] == "error" and error and "step" not in response["metadata"]:
        raise Fault(Code(error["code"]), error["message"], help=error["help"], details=error["details"])
