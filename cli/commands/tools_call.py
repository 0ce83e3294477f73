"""`aur tools call`: any tool by any of its names, with its arguments as JSON, as the adapters describe them."""

from __future__ import annotations

import json
from typing import Any

import click

from aurora.cli.context import common, opened, session_of
from aurora.cli.render.registry import show
from aurora.cli.terminal.progress import watching
from aurora.faults import Code, Fault


@click.pass_context
def _call(context: click.Context, /, **given: Any) -> int:
    session = session_of(context, given)
    arguments, params = _object(given["arguments"], "the arguments"), _object(given["params"], "--params")
    from aurora.tools.catalog.list import named  # noqa: PLC0415 - as above
    from aurora.tools.runtime import call_log as calllog  # noqa: PLC0415 - help does not need the tools
    from aurora.tools.runtime.dispatch import invoke, new_request_id  # noqa: PLC0415 - as above
    from aurora.tools.runtime.instrumentation import observed  # noqa: PLC0415 - as above

    calllog.listen()  # silent, unless AURORA_LOG asks for the lines
    try:
        tool = named(given["name"])
    except Fault:  # a call that reaches no tool has its line in the log too
        with opened(session, reads=True) as workspace, observed(workspace, new_request_id(), given["name"], "cli"):
            raise
    with opened(session, reads=tool.risk == "read") as workspace, watching(session) as progress:
        output = invoke(workspace, tool.name, arguments, params=params, progress=progress, surface="cli")
    return show(tool.name, output, as_json=True)


def _object(text: str, what: str) -> dict[str, Any]:
    """The JSON object that was typed; `-` stands for standard input.

    Raises:
        Fault: INVALID_INPUT when it is none.
    """
    from aurora.cli.terminal.stdin import piped  # noqa: PLC0415 - as above

    try:
        value = json.loads(piped() if text == "-" else text)
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
        *common(),
    ],
    callback=_call,
    help="Call any tool by any of its names, with its arguments as a JSON object (- reads it from standard input), and "
    "print what it gives as JSON. `aur tools show NAME` tells what a tool takes.",
)
