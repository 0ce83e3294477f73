"""Gates of a run: the question that only a person can answer, and the reply, which no tool can send."""

from __future__ import annotations

import getpass
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault, show_hidden, show_hidden_values
from aurora.interpreter.language.model import CONTINUE
from aurora.tools.core import DEFAULT_TOOLS
from aurora.tools.runtime import new_request_id, record_call
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.run.call import PersonReply
    from aurora.tools.core import Project, Surface

MAX_MESSAGE = 6_000
"""Limit in characters for the message that the person sees."""
_MAX_RUNS = 200
"""Runs that are listed at most, the newest that wait."""


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """Question of a waiting run to the person.

    Attributes:
        run: the id of the run.
        workflow: its workflow and version.
        step: the number of the step that the reply makes; a reply to an earlier question does not fit it.
        message: the text of the question, with hidden characters as escapes.
        form: the JSON Schema of the answer, an object of simple fields.
    """

    run: str
    workflow: str
    step: int
    message: str
    form: Mapping[str, Any]

    @classmethod
    def from_response(cls, response: Mapping[str, Any]) -> PersonQuestion | None:
        """Create the question of a response; None if it waits for no person, or is malformed."""
        asked = response.get("person")
        if response.get("status") != "waiting" or not asked or not response.get("run"):
            return None
        metadata = response.get("metadata")
        if not (_is_form(asked) and isinstance(metadata, dict) and isinstance(metadata.get("step"), int)):
            return None
        message = show_hidden(str(asked.get("message", "")))
        if (left_out := len(message) - MAX_MESSAGE) > 0:
            message = f"{message[:MAX_MESSAGE]}… [{left_out} more characters; `aur runs show {response['run']}`]"
        form = show_hidden_values(dict(asked["form"]))
        return cls(response["run"], str(metadata.get("workflow", "")), metadata["step"] + 1, message, form)

    @property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The schema of each field of the form."""
        fields: Mapping[str, Mapping[str, Any]] = self.form.get("properties", {})
        return fields

    @property
    def digest(self) -> str:
        """The hash of the message and the form."""
        # Who approves has approved what they saw: an edited message or form is another question.
        text = json.dumps([self.workflow, self.message, self.form], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def complete_content(self, content: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the content of the form with the defaults of fields that the person left out."""
        # Several hosts send null for a field that was left empty.
        given = {name: value for name, value in (content or {}).items() if value is not None}
        defaults = {name: field["default"] for name, field in self.fields.items() if "default" in field}
        return {**defaults, **given}


def _is_form(asked: Any) -> bool:
    """Check what a run asks the person: a run in a database server is repeated as its record has it."""
    form = asked.get("form") if isinstance(asked, dict) else None
    fields = form.get("properties", {}) if isinstance(form, dict) else None
    if not isinstance(form, dict) or not isinstance(fields, dict) or not isinstance(form.get("required", []), list):
        return False
    return all(map(_is_field, fields.values()))


def _is_field(field: Any) -> bool:
    if not isinstance(field, dict):
        return False
    choices = [field.get(name) or [] for name in ("oneOf", "anyOf", "enum", "enumNames")]
    if not all(isinstance(some, list) for some in choices):
        return False
    named = all(isinstance(one, dict) for some in choices[:2] for one in some)
    return named and ("items" not in field or _is_field(field["items"]))


def repeat_response(project: Project, run: str) -> dict[str, Any]:
    """Return the last response of a run again; the run does not change while it waits for the person."""
    return step_workflow(project, {"phase": CONTINUE, "run": run}, new_request_id())


def list_waiting(project: Project) -> list[PersonQuestion]:
    """List the questions of the newest runs that wait for the person, the newest first."""
    rows = project.memory.journal.runs(_MAX_RUNS, status="waiting")
    found = (PersonQuestion.from_response(repeat_response(project, row.run)) for row in rows)
    return [question for question in found if question is not None]


def find_question(project: Project, run: str) -> PersonQuestion:
    """Find the question of a waiting run.

    Raises:
        Fault: NOT_FOUND for an unknown run, CONFLICT if the run does not wait for a person.
    """
    head = project.memory.journal.head(run)
    if head is None:
        message = f'there is no run "{run[:80]}"'
        raise Fault(Code.NOT_FOUND, message, help="`aur runs approve` without a run lists those that wait.")
    question = None
    if head.document.get("status") == "waiting":
        response = repeat_response(project, run)
        _require_success(response)
        question = PersonQuestion.from_response(response)
    if question is None:
        message = f'run "{run[:80]}" does not wait for a person'
        raise Fault(Code.CONFLICT, message, help="`aur runs approve` without a run lists those that wait.")
    return question


def _require_success(response: Mapping[str, Any]) -> None:
    # The engine answers with what is wrong, such as a workflow that was removed, in place of the question.
    if response["status"] == "error" and (error := response.get("error")):
        raise Fault(Code(error["code"]), error["message"], help=error["help"])


def reply_to_question(
    project: Project,
    question: PersonQuestion,
    reply: PersonReply,
    content: Mapping[str, Any] | None = None,
    *,
    surface: Surface,
) -> dict[str, Any]:
    """Send the reply of the person to the engine, log it, and return the response.

    No tool and no argument of a call leads here: only a surface that has asked the person may call it.

    Args:
        project: the open project.
        question: the question that the person saw.
        reply: what the person decided, and how.
        content: the values of the form, by field.
        surface: the origin of the reply, for the log.
    """
    request = new_request_id()
    arguments: dict[str, Any] = {"phase": CONTINUE, "run": question.run, "step": question.step}
    if reply.accepts:
        arguments["answer"] = question.complete_content(content)
    # Logged as the query that the step would be if an assistant made it; the surface tells them apart.
    with record_call(project, request, DEFAULT_TOOLS[0], surface) as outcome:
        project.require_folder()
        response = step_workflow(project, arguments, request, person=reply)
        outcome.set_from_output(response)
    return response


def find_wrong_content(response: Mapping[str, Any]) -> str:
    """Return why the content of a reply does not fit the form; empty for any other response."""
    error = response.get("error") if response.get("status") == "error" else None
    if not error or error["code"] != Code.INVALID_INPUT or "answer" not in error["details"].get("arguments", ()):
        return ""
    return str(error["message"])


def name_user() -> str:
    """Return the name of the account that runs this process; empty if it has none."""
    try:
        # A container's account may have no entry, and Windows no module `pwd`.
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
