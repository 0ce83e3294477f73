"""Rules for the declaration of a distribution's tool, which are those of Aurora's own and a few more."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, get_args

from aurora.tools.core import Family, Risk, StrictModel, Tool, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[a-z][a-z0-9_]{0,39}){1,2}")
MAX_TIMEOUT = 3600.0
"""The longest time of a call in seconds."""


def describe_wrong_declaration(value: Any, name: str) -> str:
    """Return the first rule that the declaration of an entry breaks; empty if there is none.

    Args:
        value: what the entry point names.
        name: the name of the entry point.
    """
    if not isinstance(value, Tool):
        return f"it is a {type(value).__name__}, not a Tool of aurora.tools.core"
    return next(chain(_iterate_name_faults(value, name), _iterate_faults(value)), "")


def _iterate_name_faults(tool: Tool[Any, Any], name: str) -> Iterator[str]:
    if tool.name != name:
        yield f'it declares the tool "{tool.name}", not that of its entry point'
    if not _NAME.fullmatch(name):
        yield "its name is not of the form family.verb, in lower case"
    if ToolRegistry().is_known(name):
        yield "its name is that of one of Aurora's own tools"
    if tool.aliases or tool.command or tool.mcp:
        yield "it has an alias, a command or a name over MCP, which only Aurora's own tools have"


def _iterate_faults(tool: Tool[Any, Any]) -> Iterator[str]:
    if not all(_is_strict(model) for model in (tool.input, tool.output, tool.params)):
        yield "its input, output and params are not all models derived from StrictModel"
    if tool.risk not in get_args(Risk) or tool.family not in get_args(Family):
        yield "its risk or its family is none that Aurora knows"
    if tool.phases and tool.risk != "read":
        yield f'its risk is "{tool.risk}", and a phase of any workflow may only read'
    if tool.jobs and tool.risk == "high":
        yield 'its risk is "high", and a phase of a job may lose no data'
    if not 0 < tool.timeout <= MAX_TIMEOUT:
        yield f"its timeout is not between 0 and {MAX_TIMEOUT:,.0f} seconds"


def _is_strict(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, StrictModel)
