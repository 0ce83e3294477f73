"""View of the response to one phase call: the result, the prompt, the next command."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from aurora.cli.render.search_hits import describe_index
from aurora.cli.render.view import Each, JsonTree, Line, Passage, View, When

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MODEL_INSTRUCTION = re.compile(
    r"(?:Follow [^.]*, then call|Call|To try again, call) aurora_query with next_call\.arguments[^.]*\.\s*"
)
"""Sentence of the guidance that is for a model; a person reads the next command instead."""


def list_guidance(output: Mapping[str, Any]) -> list[str]:
    """Return what the guidance tells a person besides a question or the help of an error."""
    if output.get("status") == "waiting" or (output.get("error") or {}).get("help"):
        return []
    text = _MODEL_INSTRUCTION.sub("", output.get("guidance") or "").strip()
    return [text] if text else []


def select_result(result: Any) -> Any:
    """Select what a person reads of a result: no empty texts, and the state of the index as a sentence."""
    if not isinstance(result, dict):
        return result
    shown = {name: value for name, value in result.items() if value != ""}
    index = shown.get("index")
    if isinstance(index, dict) and index.keys() <= {"commit", "behind"}:
        shown["index"] = describe_index(index)
    return shown


def _format_next_command(output: Mapping[str, Any]) -> str:
    """Return the next call as a person types it."""
    call = output["next_call"]
    arguments = dict(call["arguments"])
    words = ["aur", "workflow", "step", *filter(None, [str(arguments.pop("phase", ""))])]
    for name in ("run", "workflow", "step"):
        if name in arguments:
            words += [f"--{name}", str(arguments.pop(name))]
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        words += ["--input", shlex.quote(f"{name}={text}")]
    for name in call["needs"]:
        words += ["--answer", "'JSON'"] if name == "answer" else ["--input", f"{name}=…"]
    return " ".join(words)


def _list_prompts(output: Mapping[str, Any]) -> list[dict[str, str]]:
    """List the prompts, each with its heading: of branches, their names."""
    prompts = output.get("prompt_template") or []
    if isinstance(prompts, dict):
        return [{"heading": f"prompt {name}", "text": text} for name, text in prompts.items()]
    return [{"heading": "prompt", "text": text} for text in ([prompts] if isinstance(prompts, str) else prompts)]


def _list_form_fields(output: Mapping[str, Any]) -> list[str]:
    """List the fields of the form that the person fills in, each with what it takes."""
    form = output["person"].get("form") or {}
    return [_describe_field(name, schema) for name, schema in (form.get("properties") or {}).items()]


def _describe_field(name: str, schema: Mapping[str, Any]) -> str:
    kinds = " or ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any value"))
    default = f", by default {json.dumps(schema['default'], ensure_ascii=False)}" if "default" in schema else ""
    return f"{name}: {kinds}{default}"


_ERROR = (
    Line(("{error.code}: {error.message}", "red")),
    Each(lambda output: output["error"].get("details", {}).get("faults", ()), Line("  {path}: ", "{message}")),
    Line("help: {error.help}"),
    Each(lambda output: output["error"].get("details", {}).get("lines", ()), Line("  {_}")),
)
"""An error as it is."""


def _build_refusal(list_faults: Callable[[Any], list[str]], remedy: str) -> When:
    """Build the view of the problems of a call, with wrong values in the words of a person."""
    return When(
        has_value_faults,
        Line(("{error.code}: ", "red"), (format_message, "red")),
        Each(list_faults, Line("  {_}")),
        Line(f"help: {remedy}"),
        otherwise=_ERROR,
    )


_PATH = re.compile(r"\$\.(?P<name>[\w-]+)(?P<rest>.*)", re.DOTALL)

_MISSING = "is missing"


def has_value_faults(output: Mapping[str, Any]) -> bool:
    """Return True if the error lists faults of inputs or of the answer, which a person can correct."""
    details = (output.get("error") or {}).get("details") or {}
    return bool(details.get("faults")) and "arguments" in details


def format_message(output: Mapping[str, Any]) -> str:
    """Return the message without the first fault, since all of them follow."""
    message = str(output["error"]["message"])
    before, refused, _ = message.partition(" refuses this call")
    return f"{before} cannot run with these values" if refused else message


def list_option_faults(output: Mapping[str, Any]) -> list[str]:
    """List the faults, each with the option of `aur workflow step` that takes the value."""
    return [_describe_fault(one, "--answer", " 'JSON'", "--input ", "='…'") for one in _read_faults(output)]


def _read_faults(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    faults: list[Mapping[str, Any]] = output["error"]["details"]["faults"]
    return faults


def _describe_fault(fault: Mapping[str, Any], answer: str, answer_value: str, given: str, given_value: str) -> str:
    """Describe a fault with the words for an answer and for an input, and what a missing one looks like."""
    path, message = str(fault["path"]), str(fault["message"])
    found = _PATH.fullmatch(path)
    if found is None:
        return f"{path}: {message}"
    is_answer = found["name"] == "answer"
    title, value = (answer, answer_value) if is_answer else (f"{given}{found['name']}", given_value)
    if found["rest"]:
        return f"{title}, at ${found['rest']}: {message}"
    return f"{title}{value} {message}" if message.startswith(_MISSING) else f"{title}: {message}"


_STEP_REFUSAL = _build_refusal(list_option_faults, "Correct the values, and run the command again.")


def list_value_faults(output: Mapping[str, Any]) -> list[str]:
    """List the faults, each with the name of the value, where a person types values and no options."""
    return [_describe_fault(one, "the answer", "", "input ", "") for one in _read_faults(output)]


REFUSAL = _build_refusal(list_value_faults, "Give other values.")
"""The problems of a call of `aur workflow run`, which has no option for the answer."""


RENDERERS: Mapping[str, View] = {
    "workflow.step": View(
        Line(
            (lambda output: output["progress"] or output["phase"], "bold cyan"),
            ("  {status}", lambda output: "red" if output["status"] == "error" else "green"),
            ("  run {run}", "dim"),
        ),
        When("error", _STEP_REFUSAL),
        JsonTree("result", select=select_result),
        Each(_list_prompts, Line(("{heading}", "bold")), Passage("text")),
        When(
            "person",
            Line(("only the person can answer", "bold")),
            Passage("person.message"),
            Each(_list_form_fields, Line("  {_}")),
            Line("answer: aur runs approve {run}", when="run"),
        ),
        Each(list_guidance, Passage("_", style="dim")),
        When(
            lambda output: output["next_call"] and not output.get("person"),
            Line(("next: ", "bold"), _format_next_command),
        ),
    ),
}
