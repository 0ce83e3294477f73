"""View of the response to one phase call: result, prompt and next command, or the faults."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from aurora.cli.output import put

from .memory import describe_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.cli.output import Output

    from .printer import Fields

_MODEL_INSTRUCTION = re.compile(
    r"(?:Follow [^.]*, then call|Call|To try again, call) aurora_query with next_call\.arguments[^.]*\.\s*"
)
"""Sentence of the guidance that is for a model; a person reads the next command instead."""


def print_response(output: Fields, out: Output) -> None:
    """Print the response to one call."""
    out.line(
        (output["progress"] or output["phase"], "bold cyan"),
        (f"  {output['status']}", "red" if output["status"] == "error" else "green"),
        (put("  run ", output["run"]), "dim"),
    )
    if output["error"]:
        print_refusal(output, out, _describe_option_fault, "Correct the values, and run the command again.")
    out.tree(select_result(output["result"]))
    for heading, text in _list_prompts(output["prompt_template"] or []):
        out.line((heading, "bold"))
        out.text(text)
    person = output["person"]
    if person:
        out.line(("only the person can answer", "bold"))
        out.text(person["message"])
        for name, schema in ((person["form"] or {}).get("properties") or {}).items():
            out.line(f"  {_describe_field(name, schema)}")
        out.line(put("answer: aur runs approve ", output["run"]))
    out.text(find_guidance(output), "dim")
    if output["next_call"] and not person:
        out.line(("next: ", "bold"), _format_next_command(output["next_call"]))


def find_guidance(output: Mapping[str, Any]) -> str:
    """Return what the guidance tells a person besides a question or the help of an error."""
    if output.get("status") == "waiting" or (output.get("error") or {}).get("help"):
        return ""
    return _MODEL_INSTRUCTION.sub("", output.get("guidance") or "").strip()


def select_result(result: Any) -> Any:
    """Select what a person reads of a result: no empty texts, and the state of the index as a sentence."""
    if not isinstance(result, dict):
        return result
    shown = {name: value for name, value in result.items() if value != ""}
    index = shown.get("index")
    if isinstance(index, dict) and index.keys() <= {"commit", "behind"}:
        shown["index"] = describe_index(index)
    return shown


def _format_next_command(call: Fields) -> str:
    """Return the next call as a person types it."""
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


def _list_prompts(prompts: Any) -> Iterator[tuple[str, str]]:
    """Yield the prompts, each with its heading: of branches, their names."""
    if isinstance(prompts, dict):
        yield from ((f"prompt {name}", text) for name, text in prompts.items())
    else:
        yield from (("prompt", text) for text in ([prompts] if isinstance(prompts, str) else prompts))


def _describe_field(name: str, schema: Mapping[str, Any]) -> str:
    """Describe a field of the form that the person fills in: what it takes."""
    kinds = " or ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any value"))
    default = f", by default {json.dumps(schema['default'], ensure_ascii=False)}" if "default" in schema else ""
    return f"{name}: {kinds}{default}"


def print_refusal(output: Fields, out: Output, describe_fault: Callable[[Fields], str], remedy: str) -> None:
    """Print the error of a call, its wrong values in the words of a person."""
    error = output["error"]
    details = error["details"] or {}
    faults = details.get("faults") or ()
    if faults and "arguments" in details:
        before, is_refused, _ = error["message"].partition(" refuses this call")  # the faults follow, all of them
        message = f"{before} cannot run with these values" if is_refused else error["message"]
        out.line((f"{error['code']}: {message}", "red"))
        for fault in faults:
            out.line(f"  {describe_fault(fault)}")
        out.line(f"help: {remedy}")
        return
    out.line((f"{error['code']}: {error['message']}", "red"))
    for fault in faults:
        out.line(f"  {fault['path']}: {fault['message']}")
    out.line(put("help: ", error["help"]))
    for line in details.get("lines") or ():
        out.line(f"  {line}")


def describe_value_fault(fault: Fields) -> str:
    """Describe a fault with the name of the value, where a person types values and no options."""
    return _describe_fault(fault, ("the answer", ""), ("input ", ""))


def _describe_option_fault(fault: Fields) -> str:
    """Describe a fault with the option of `aur workflow step` that takes the value."""
    return _describe_fault(fault, ("--answer", " 'JSON'"), ("--input ", "='…'"))


_PATH = re.compile(r"\$\.(?P<name>[\w-]+)(?P<rest>.*)", re.DOTALL)
_MISSING = "is missing"


def _describe_fault(fault: Fields, answer: tuple[str, str], given: tuple[str, str]) -> str:
    """Describe a fault with the words for an answer and for an input, and what a missing one looks like."""
    path, message = str(fault["path"]), str(fault["message"])
    found = _PATH.fullmatch(path)
    if found is None:
        return f"{path}: {message}"
    title, value = answer if found["name"] == "answer" else (f"{given[0]}{found['name']}", given[1])
    if found["rest"]:
        return f"{title}, at ${found['rest']}: {message}"
    return f"{title}{value} {message}" if message.startswith(_MISSING) else f"{title}: {message}"
