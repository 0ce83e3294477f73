"""`aur tools call`: call any tool by name, with its arguments as JSON."""

from __future__ import annotations

import json
from typing import Any

import click

from aurora.cli import terminal
from aurora.cli.context import build_common_options, reject_broken_text, take_common_options
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.parser.options import complete_value
from aurora.cli.project import open_workspace, resolve_project_root
from aurora.cli.render.registry import show_output
from aurora.cli.terminal import track_progress
from aurora.faults import ArgumentFault, Code, Fault
from aurora.tools import runtime
from aurora.tools.catalog.tools import find_tool

_OBJECT_EXAMPLE = 'For example {"query": "retry delay"}.'


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
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
        value = json.loads(terminal.read_stdin() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise ArgumentFault(
            Code.INVALID_INPUT, f"{what} cannot be read as JSON: {error}", help=_OBJECT_EXAMPLE
        ) from None
    if not isinstance(value, dict):
        raise ArgumentFault(Code.INVALID_INPUT, f"{what} must be a JSON object", help=_OBJECT_EXAMPLE)
    return value


COMMAND = DescribedCommand(
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
    callback=_run_command,
    help="Call any tool by any of its names, with its arguments as a JSON object (- reads it from standard input), and "
    "print its output as JSON. `aur tools show NAME` shows its arguments.",
)
