"""`aur workflow step`: one phase, called as an assistant would call it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.render import show_output
from aurora.faults import Code, Fault

_MAX_BYTES = 16_000_000
"""Bytes read of a file of answers; what is larger is refused by the step anyway."""


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    session = take_common_options(context, given)
    if given["answer"] == "-" and given["inputs"] == "-":
        raise click.UsageError("only one of --answer and --inputs can be standard input", context)
    arguments = _build_arguments(given)
    from aurora.tools.runtime import call_log as calllog  # noqa: PLC0415 - help does not need the tools
    from aurora.tools.workflows import run_logged_step  # noqa: PLC0415 - as above

    calllog.configure_logging()  # silent, unless AURORA_LOG asks for the lines
    with open_workspace(session) as workspace:
        envelope = run_logged_step(workspace, arguments)
    return show_output("workflow.step", envelope, as_json=session.json)


def _build_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `aurora_query`: a file of inputs first, single inputs over it."""
    arguments: dict[str, Any] = {}
    if given["inputs"]:
        inputs = _read_json(given["inputs"])
        if not isinstance(inputs, dict):
            raise Fault(Code.INVALID_INPUT, "--inputs must hold a JSON object", help='For example {"query": "…"}.')
        arguments |= inputs
    arguments |= dict(_parse_pair(text) for text in given["input"])
    arguments["phase"] = given["phase"]
    for name in ("run", "workflow", "step"):
        if given[name] is not None:
            arguments[name] = given[name]
    if given["answer"]:
        arguments["answer"] = _read_json(given["answer"])
    return arguments


def _parse_pair(text: str) -> tuple[str, Any]:
    """`name=value`; the value is JSON when it can be read as such, else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f'--input takes NAME=VALUE, not "{text[:80]}"', click.get_current_context())
    try:
        return name, _parse_json(value)
    except (ValueError, RecursionError):
        return name, value


def _make_fault(message: str, remedy: str, code: Code = Code.INVALID_INPUT) -> Fault:
    return Fault(code, message, help=remedy)


def _read_json(path: str) -> Any:
    """The JSON of a file, or of standard input for `-`.

    Raises:
        Fault: NOT_FOUND, FORBIDDEN or INVALID_INPUT.
    """
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise _make_fault(
            f'there is no file "{path}"', "Name a file, or - for standard input.", Code.NOT_FOUND
        ) from None
    except (OSError, ValueError) as error:
        raise _make_fault(f'"{path[:200]}" cannot be read: {error}', "Name a readable file.", Code.FORBIDDEN) from None
    if len(raw) > _MAX_BYTES:
        raise _make_fault(f"more than {_MAX_BYTES:,} bytes", "Bring a shorter document.")
    try:
        return _parse_json(raw.decode("utf-8-sig"))
    except RecursionError:
        raise _make_fault("nested too deep", "Bring a flatter document.") from None
    except ValueError as error:
        raise _make_fault(f"this is not JSON: {error}", "Write it as JSON, in UTF-8.") from None


def _parse_json(text: str) -> Any:
    """The value; NaN and Infinity are not JSON."""

    def reject_constant(name: str) -> Any:
        raise ValueError(f"{name} is no JSON number")

    return json.loads(text, parse_constant=reject_constant)


COMMAND = click.Command(
    "step",
    params=[
        click.Argument(["phase"], metavar="PHASE"),
        click.Option(["--run"], metavar="ID", help="The run to go on with; the answer before it tells its name."),
        click.Option(["--step"], type=click.IntRange(1), metavar="N", help="The number of this step, as it was given."),
        click.Option(["--workflow"], metavar="NAME", help="The workflow. [default: soar]"),
        click.Option(
            ["--answer"], metavar="FILE", help="Your answer to the prompt before, as JSON; - is standard input."
        ),
        click.Option(["--input"], multiple=True, metavar="NAME=VALUE", help="An input of the phase; may be repeated."),
        click.Option(["--inputs"], metavar="FILE", help="Inputs of the phase as one JSON object; - is standard input."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Run exactly one phase of a workflow and show its result, its prompt, and what to call next.",
)
