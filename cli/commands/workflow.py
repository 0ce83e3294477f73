"""Commands that run one phase, create a workflow, or call any tool."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import (
    build_common_options,
    reject_broken_text,
    reject_empty,
    reject_repeated_inputs,
    take_common_options,
)
from aurora.cli.exits import ExitCode
from aurora.cli.interaction import read_stdin, track_progress
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand, complete_value
from aurora.cli.parser.tool_command import build_command
from aurora.cli.project import open_workspace, resolve_project_root
from aurora.cli.render.printer import show_output
from aurora.cli.trust import offer_changes
from aurora.errors import ArgumentFault, Code, Fault, show_hidden_line
from aurora.system.paths.resolve import path_exists
from aurora.tools import runtime, trust
from aurora.tools.catalog.tools import find_tool
from aurora.tools.runs import resolve_run_id
from aurora.tools.workflows.query import run_logged_step

from .trust import TRUST_COMMAND

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions
    from aurora.tools.runtime import Workspace

_JSON_STARTS = ("{", "[", '"')
"""First characters of an object, a list and a string, which name no file that a person would write."""

_MAX_ANSWER_BYTES = 16_000_000
"""Maximum size in bytes of a file of answers; the step rejects larger ones anyway."""


@click.pass_context
def _run_step(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_empty(context, given, "phase", "run", "workflow", "answer", "inputs")
    reject_broken_text(context, given)
    reject_repeated_inputs(context, given["input"])
    if given["answer"] == "-" and given["inputs"] == "-":
        raise click.UsageError("only one of --answer and --inputs can be standard input", context)
    arguments = _build_arguments(given)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    with open_workspace(options) as workspace:
        if not options.json:
            offer_changes(workspace)
        if given["run"] is not None:
            arguments["run"] = resolve_run_id(workspace, given["run"])
            if given["answer"]:
                _reject_waiting_run(workspace, arguments["run"])
        envelope = run_logged_step(workspace, arguments)
    return show_output("workflow.step", envelope, as_json=options.json)


def _reject_waiting_run(workspace: Workspace, run: str) -> None:
    """Reject an answer to a run that waits for the person.

    The step would repeat the question, and drop the answer.

    Raises:
        Fault: CONFLICT.
    """
    head = workspace.memory.journal.head(run)
    if head is not None and head.document["status"] == "waiting":
        message = f'run "{run}" waits for the person, so this answer was not taken'
        raise Fault(Code.CONFLICT, message, help=f"Answer with `aur runs approve {run}`.")


def _build_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the call: a file of inputs, overridden by single inputs."""
    arguments: dict[str, Any] = {}
    if given["inputs"]:
        inputs = _read_json(given["inputs"])
        if not isinstance(inputs, dict):
            raise Fault(Code.INVALID_INPUT, "--inputs must be a JSON object", help='For example {"query": "…"}.')
        arguments |= inputs
    arguments |= dict(_parse_pair(text) for text in given["input"])
    for name in ("phase", "run", "workflow", "step", "detail"):
        if given[name] is not None:
            arguments[name] = given[name]
    if given["answer"]:
        arguments["answer"] = _read_answer(given["answer"])
    return arguments


def _parse_pair(text: str) -> tuple[str, Any]:
    """Parse `name=value`; the value is JSON where it can be parsed, else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f'--input takes NAME=VALUE, not "{text[:80]}"', click.get_current_context())
    try:
        return name, _parse_json(value)
    except (ValueError, RecursionError):
        return name, value


def _make_fault(message: str, remedy: str, code: Code = Code.INVALID_INPUT) -> Fault:
    return Fault(code, message, help=remedy)


def _read_answer(text: str) -> Any:
    """Read an answer: the JSON itself, or the JSON of a file; a file that exists comes first.

    Raises:
        Fault: as `_read_json`; INVALID_INPUT for a text that begins as JSON and is none.
    """
    if text == "-" or path_exists(text):
        return _read_json(text)
    try:
        return _parse_json(text)
    except (ValueError, RecursionError) as error:
        if not text.lstrip().startswith(_JSON_STARTS):
            return _read_json(text)
        message = f"the answer is not JSON{_describe_place(error)}"
        raise _make_fault(message, "For example '{\"ok\": true}', or a file.") from None


def _read_json(path: str) -> Any:
    """Read the JSON of a file, or of standard input for `-`.

    Raises:
        Fault: NOT_FOUND, FORBIDDEN or INVALID_INPUT.
    """
    raw = _read_bytes(path)
    shown = "standard input" if path == "-" else f'"{path[:200]}"'
    if not raw.strip():
        raise _make_fault(f"{shown} is empty", "Write the JSON of your answer, for example '{\"ok\": true}'.")
    try:
        return _parse_json(raw.decode("utf-8-sig"))
    except RecursionError:
        raise _make_fault("the document is nested too deeply", "Pass a flatter document.") from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"{shown} is not UTF-8: byte 0x{raw[error.start]:02x} in line {line}"
        raise _make_fault(message, "Write it as JSON, in UTF-8.") from None
    except ValueError as error:
        raise _make_fault(f"{shown} is not JSON{_describe_place(error)}", "Write it as JSON, in UTF-8.") from None


def _read_bytes(path: str) -> bytes:
    """Read a file of limited size, or standard input for `-`."""
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:  # stdin stays open
            # One byte more than is allowed tells a document that is too large from one that just fits.
            raw = file.read(_MAX_ANSWER_BYTES + 1)
    except FileNotFoundError:
        raise _make_fault(
            f'there is no file "{path[:200]}"', "Name a file, or - for standard input.", Code.NOT_FOUND
        ) from None
    except IsADirectoryError:
        raise _make_fault(f'"{path[:200]}" is a folder', "Name a file, or - for standard input.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _make_fault(f'"{path[:200]}" cannot be read: {reason}', "Name a readable file.", Code.FORBIDDEN) from None
    if len(raw) > _MAX_ANSWER_BYTES:
        raise _make_fault(f"the document is larger than {_MAX_ANSWER_BYTES:,} bytes", "Pass a smaller document.")
    return raw


def _describe_place(error: Exception) -> str:
    """Return where a text stops being JSON."""
    if isinstance(error, json.JSONDecodeError):
        return f", line {error.lineno}, column {error.colno}"
    if isinstance(error, RecursionError):
        return ": it is nested too deeply"
    return ": a number is too long" if str(error).startswith("Exceeds the limit") else f": {error}"


def _parse_json(text: str) -> Any:
    """Parse a value; reject NaN and Infinity, which are not JSON."""

    def reject_constant(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON number")

    return json.loads(text, parse_constant=reject_constant)


STEP = DescribedCommand(
    "step",
    params=[
        DescribedArgument(
            ["phase"],
            metavar="[PHASE]",
            required=False,
            shell_complete=complete_value,
            description="The phase to run, or one of its aliases; omit it to begin a run, or to continue one.",
        ),
        click.Option(
            ["--run"],
            metavar="ID",
            shell_complete=complete_value,
            help="The run to continue, by its id; `last` is the newest.",
        ),
        click.Option(
            ["--step"], type=click.IntRange(1), metavar="N", help="The number of this step, from the previous response."
        ),
        click.Option(
            ["--workflow"], metavar="NAME", shell_complete=complete_value, help="The workflow. [default: soar]"
        ),
        click.Option(
            ["--answer"],
            metavar="JSON|FILE",
            help="Your answer to the previous prompt: JSON such as '{\"ok\": true}', or a file; - is standard input.",
        ),
        click.Option(
            ["--detail"],
            type=click.Choice(["brief", "full"]),
            help="`full` also returns the whole result and the decision.",
        ),
        click.Option(["--input"], multiple=True, metavar="NAME=VALUE", help="An input of the phase; may be repeated."),
        click.Option(["--inputs"], metavar="FILE", help="Inputs of the phase as one JSON object; - is standard input."),
        *build_common_options(),
    ],
    callback=_run_step,
    help="Run one phase of a workflow and show its result, its prompt, and the next call.",
)


_OBJECT_EXAMPLE = 'For example {"query": "retry delay"}.'


@click.pass_context
def _call_any_tool(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_broken_text(context, given)
    arguments, params = _parse_object(given["arguments"], "the arguments"), _parse_object(given["params"], "--params")
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    try:
        tool = find_tool(given["name"], resolve_project_root(options))
    except Fault:  # the call of an unknown tool is logged too
        with (
            open_workspace(options, reads=True) as workspace,
            runtime.record_call(workspace, runtime.new_request_id(), given["name"], "cli"),
        ):
            raise
    with open_workspace(options, reads=tool.risk == "read") as workspace, track_progress(options) as progress:
        called = given["name"] if tool.find_alias(given["name"]) else tool.name  # an alias has its own arguments
        try:
            output = runtime.call_tool(workspace, called, arguments, params=params, progress=progress, surface="cli")
        except Fault as fault:
            raise _explain_settings(fault) from None
    return show_output(tool.name, output, as_json=True)


def _explain_settings(fault: Fault) -> Fault:
    """Return a fault of a tool's settings with the option that gives them; any other fault unchanged."""
    if fault.code is not Code.INVALID_INPUT or not fault.message.startswith("the params of "):
        return fault
    help_ = f"Settings go into `--params JSON`. {fault.help}"
    return Fault(fault.code, fault.message, help=help_, details=fault.details)


def _parse_object(text: str, what: str) -> dict[str, Any]:
    """Parse a JSON object; `-` is standard input.

    Raises:
        ArgumentFault: INVALID_INPUT when it is not one.
    """
    try:
        value = json.loads(read_stdin() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise ArgumentFault(
            Code.INVALID_INPUT, f"{what} cannot be read as JSON: {error}", help=_OBJECT_EXAMPLE
        ) from None
    if not isinstance(value, dict):
        raise ArgumentFault(Code.INVALID_INPUT, f"{what} must be a JSON object", help=_OBJECT_EXAMPLE)
    return value


CALL = DescribedCommand(
    "call",
    params=[
        DescribedArgument(
            ["name"], metavar="NAME", shell_complete=complete_value, description="The tool, by any of its names."
        ),
        DescribedArgument(
            ["arguments"],
            metavar="[ARGUMENTS]",
            default="{}",
            description="Its arguments as a JSON object; - is standard input.",
        ),
        click.Option(["--params"], default="{}", metavar="JSON", help="The settings that a phase gives."),
        *build_common_options(),
    ],
    callback=_call_any_tool,
    help="Call any tool by any of its names, with its arguments as a JSON object (- reads it from standard input), and "
    "print its output as JSON. `aur tools show NAME` shows its arguments.",
)


_UNUSED = f"It is not used yet, because you were not shown it: run `{TRUST_COMMAND}`."

_UNTRUSTED = f"It is not used yet, because this folder is not trusted: run `{TRUST_COMMAND}`."


@click.pass_context
def _create_workflow(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, dict(given))
    with open_workspace(options, reads=True) as workspace:
        had_own, was_trusted = bool(trust.survey_project(workspace.root)), workspace.trust.is_trusted()
        had_unused = bool(trust.survey_unused(workspace))
    code = int(_CREATE_COMMAND.callback(**given)) if _CREATE_COMMAND.callback else ExitCode.BUG
    if code == ExitCode.OK:
        # A person's own first workflow needs no question: they have just
        # written it. Beside files of a clone, trust would cover those too.
        _report_trust(options, is_foreign=had_unused or (had_own and not was_trusted), was_trusted=was_trusted)
    return code


def _report_trust(options: CommonOptions, *, is_foreign: bool, was_trusted: bool) -> None:
    """Trust what the person has just created; where there is more that is not used, report that."""
    with open_workspace(options, reads=True) as workspace:
        created = trust.survey_unused(workspace).workflows
        if was_trusted and not created:
            return
        if is_foreign or options.json or not sys.stdin.isatty():
            click.echo(_UNUSED if was_trusted else _UNTRUSTED, err=options.json)
            return
        try:
            read = trust.read_contents(workspace).definitions
            workspace.trust.grant(shown=[files for files in read if files[0][0] in created])
        except Fault as fault:  # the workflow is written all the same
            click.echo(show_hidden_line(f"{_UNTRUSTED} {fault.message}: {fault.help}"))
            return
    if not was_trusted:
        click.echo("This folder is trusted from now on, because the workflow is the first and only one of its own.")


_CREATE_COMMAND = build_command("workflow.new")

NEW = DescribedCommand(
    _CREATE_COMMAND.name,
    params=_CREATE_COMMAND.params,
    callback=_create_workflow,
    help=_CREATE_COMMAND.help,
    short_help=_CREATE_COMMAND.short_help,
)
