"""`aur tools call`: any tool by any of its names, with its arguments as JSON, as the adapters describe them."""

from __future__ import annotations

import json
from typing import Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.render import show_output
from aurora.cli.terminal import track_progress
from aurora.faults import Code, Fault


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    session = take_common_options(context, given)
    arguments, params = _parse_object(given["arguments"], "the arguments"), _parse_object(given["params"], "--params")
    from aurora.tools.catalog import find_tool  # noqa: PLC0415 - as above
    from aurora.tools.runtime import call_log as calllog  # noqa: PLC0415 - help does not need the tools
    from aurora.tools.runtime import (  # noqa: PLC0415 - as above
        call_tool,
        new_request_id,
        record_call,
    )

    calllog.configure_logging()  # silent, unless AURORA_LOG asks for the lines
    try:
        tool = find_tool(given["name"])
    except Fault:  # a call that reaches no tool has its line in the log too
        with (
            open_workspace(session, reads=True) as workspace,
            record_call(workspace, new_request_id(), given["name"], "cli"),
        ):
            raise
    with open_workspace(session, reads=tool.risk == "read") as workspace, track_progress(session) as progress:
        output = call_tool(workspace, tool.name, arguments, params=params, progress=progress, surface="cli")
    return show_output(tool.name, output, as_json=True)


def _parse_object(text: str, what: str) -> dict[str, Any]:
    """The JSON object that was typed; `-` stands for standard input.

    Raises:
        Fault: INVALID_INPUT when it is none.
    """
    from aurora.cli.terminal import read_stdin  # noqa: PLC0415 - as above

    try:
        value = json.loads(read_stdin() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise Fault(
            Code.INVALID_INPUT, f"{what} cannot be read as JSON: {error}", help='For example {"query": "retry delay"}.'
        ) from None
    if not isinstance(value, dict):
        raise Fault(Code.INVALID_INPUT, f"{what} must be a JSON object", help='For example {"query": "retry delay"}.')
    return value


COMMAND = click.Command(
    "call",
    params=[
        click.Argument(["name"], metavar="NAME"),
        click.Argument(["arguments"], metavar="[ARGUMENTS]", default="{}"),
        click.Option(["--params"], default="{}", metavar="JSON", help="The settings that a phase would give."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Call any tool by any of its names, with its arguments as a JSON object (- reads it from standard input), and "
    "print what it gives as JSON. `aur tools show NAME` tells what a tool takes.",
)
