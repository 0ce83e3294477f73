"""Faults of a tool's arguments in the words of its command: `--lines`, not `"lines"`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from aurora.faults import ArgumentFault, Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

_EXAMPLES = {"lines": "a line or a range of lines, for example 10-40"}
"""Field with a pattern -> what it takes, in place of the regular expression."""
_QUOTED = re.compile(r'"([a-z_]+)"')
_EMPTY = re.compile(r"should have at least 1 character$")
_PATTERN = re.compile(r"should match pattern .*")


def to_typed_fault(fault: Fault, context: click.Context) -> Fault:
    """Return a fault of a tool's arguments with the names that a person types; any other fault unchanged."""
    if (
        fault.code is not Code.INVALID_INPUT or "total" not in fault.details
    ):  # faults that pydantic found have their number
        return fault
    names = _map_typed_names(context.command.params)
    message = fault.message.partition(": ")[2] or fault.message
    field = _QUOTED.match(message)
    if field and field[1] in _EXAMPLES:
        message = _PATTERN.sub(f"must be {_EXAMPLES[field[1]]}", message)
    message = _EMPTY.sub("is empty", message).removeprefix("the input is wrong: ")
    message = message.replace("given ", "give ", 1) if message.startswith("given ") else message
    message = _QUOTED.sub(lambda found: names.get(found[1], found[0]), message)
    help_ = f"Run `{context.command_path} --help` for its usage."
    return ArgumentFault(fault.code, message, help=help_, details=fault.details)


def _map_typed_names(params: Iterable[click.Parameter]) -> dict[str, str]:
    """Map each field to its option, or to the name of the argument in the usage."""
    return {
        str(one.name): one.opts[0] if isinstance(one, click.Option) else str(one.metavar).strip("[].") for one in params
    }
