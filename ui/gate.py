"""Questions of waiting runs to the person: the form of each, and the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.run.call import PersonReply
from aurora.interpreter.schema.validate import find_faults
from aurora.tools import runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from aurora.tools.core import Project
    from aurora.tools.runs import PersonQuestion

    from .request import PageRequest


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


def answer_question(page: PageRequest) -> Response:
    """Take the reply of the person to the question of a run, and lead to the run."""
    run = page.request.path_params["run"]
    _send_reply(page, run)
    return page.redirect(page.link("runs", run))


def _send_reply(page: PageRequest, run: str) -> None:
    """Send the reply of the form.

    Raises:
        Fault: CONFLICT when the question has changed since the person saw it, INVALID_INPUT for values that do not fit
            the form, and what the engine refuses.
    """
    question = runs.find_question(page.project, run)
    # The same question may be asked again by a later step, so the hash alone does not tell which one the person saw.
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
    # An error with a step is what the run itself came to, and its page shows it; only a refused reply is a fault
    # here.
    if response["status"] == "error" and error and "step" not in response["metadata"]:
        raise Fault(Code(error["code"]), error["message"], help=error["help"], details=error["details"])


_PREFIX = "field."
_LONG = 200
"""Characters from which on a text has several lines."""


@dataclass(frozen=True, slots=True)
class FormField:
    """Field of an HTML form.

    Attributes:
        name: the name of its control.
        label: its title.
        hint: its description.
        control: `text`, `lines`, `number`, `choice`, `choices` or `flag`.
        required: True if it must have a value.
        value: the text that it has at first.
        options: values and titles to choose from.
    """

    name: str
    label: str
    hint: str
    control: str
    required: bool
    value: str
    options: Sequence[tuple[str, str]]


def build_fields(question: PersonQuestion) -> list[FormField]:
    """Build the fields of a question."""
    required = question.form.get("required", ())
    return [_build_field(name, schema, needed=name in required) for name, schema in question.fields.items()]


def _build_field(name: str, schema: Mapping[str, Any], *, needed: bool) -> FormField:
    default = schema.get("default", "")
    options = _list_options(schema)
    control = _choose_control(schema, has_options=bool(options))
    if control == "flag":
        options, default = [("true", "yes"), ("false", "no")], str(default).lower() if default != "" else ""
    return FormField(
        name=f"{_PREFIX}{name}",
        label=str(schema.get("title") or name),
        hint=str(schema.get("description", "")),
        control=control,
        required=needed,
        value=str(default),
        options=options,
    )


def _choose_control(schema: Mapping[str, Any], *, has_options: bool) -> str:
    kind = schema.get("type")
    if kind == "array":
        return "choices"
    if has_options:
        return "choice"
    if kind == "boolean":
        return "flag"
    if kind in {"integer", "number"}:
        return "number"
    is_short = isinstance(schema.get("maxLength"), int) and schema["maxLength"] < _LONG
    return "text" if is_short or schema.get("format") else "lines"


def _list_options(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    source = schema.get("items", {}) if schema.get("type") == "array" else schema
    named = source.get("oneOf") or source.get("anyOf") or ()
    if named:
        return [(str(one.get("const", "")), str(one.get("title") or one.get("const", ""))) for one in named]
    values = source.get("enum", ())
    titles = source.get("enumNames") or values
    return [(str(value), str(title)) for value, title in zip(values, titles, strict=False)]


def read_content(question: PersonQuestion, form: Mapping[str, list[str]]) -> dict[str, Any]:
    """Read the values of a sent form, by the schema of each field.

    Raises:
        Fault: INVALID_INPUT for a value that does not fit.
    """
    content: dict[str, Any] = {}
    wrong = []
    for name, schema in question.fields.items():
        given = form.get(f"{_PREFIX}{name}", [])
        value = _parse_value(schema, given)
        if value is None:
            continue
        content[name] = value
        wrong += [f"{fault['path']} {fault['message']}" for fault in find_faults(value, schema, name)]
    missing = [name for name in question.form.get("required", ()) if name not in content]
    wrong += [f"{name} is missing" for name in missing if "default" not in question.fields.get(name, {})]
    if wrong:
        raise Fault(Code.INVALID_INPUT, f"the form does not fit: {'; '.join(wrong)}", help="Fill it in again.")
    return content


def _parse_value(schema: Mapping[str, Any], given: list[str]) -> Any:
    """Parse the value of a field; None without one."""
    kind = schema.get("type")
    if kind == "array":
        return given or None
    # A browser sends the lines of a text area with CRLF, whatever the person typed.
    text = given[0].replace("\r\n", "\n") if given else ""
    if not text and kind != "string":
        return None
    if not text:
        return "" if given and not schema.get("minLength") and not _list_options(schema) else None
    return _convert_text(text, kind)


def _convert_text(text: str, kind: object) -> Any:
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind == "integer" or (kind == "number" and text.lstrip("+-").isdecimal()):
        # A number that cannot be read stays a text, so that the check by the schema names it as the person wrote it.
        try:
            return int(text)
        except ValueError:
            return text
    if kind == "number":
        try:
            return float(text)
        except ValueError:
            return text
    return text
