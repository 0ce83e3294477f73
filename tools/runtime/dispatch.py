"""Dispatch of tool calls: find, validate, authorize, run with a timeout, log, and return JSON values."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from aurora.faults import Code, Fault
from aurora.tools import extensions
from aurora.tools.core import (
    NO_PHASE,
    Context,
    PhaseOrigin,
    ProgressCallback,
    ToolRegistry,
    adapt_arguments,
    ignore_progress,
    resolve_alias,
    validate_arguments,
)

from .call_log import log_alias, log_failure
from .instrumentation import record_call
from .limits import CALL_LIMITER, resolve_timeout
from .timeout import run_with_timeout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.tools.core import Alias, Project, Surface, Tool


@cache
def get_registry() -> ToolRegistry:
    """Return the registry of the shipped tools, one for the process."""
    return ToolRegistry()


def find_tool(name: str, root: Path) -> Tool[Any, Any]:
    """Return the tool with this name or alias: one of Aurora's, or one of an installed distribution.

    Args:
        name: its name, case-sensitive.
        root: the project's folder, from which no distribution's code is loaded.

    Raises:
        Fault: NOT_FOUND, with the nearest name; UPSTREAM_ERROR for a distribution's tool that cannot be used.
    """
    registry = get_registry()
    found = None if registry.is_known(name) else extensions.find_extension(name, root)
    return registry.find(name) if found is None else found


def new_request_id() -> str:
    """Return a short random id for one call."""
    return os.urandom(6).hex()  # as `secrets.token_hex`, which imports three more modules


def call_tool(  # noqa: PLR0913 - the surfaces pass what they need by keyword
    project: Project,
    name: str,
    arguments: Mapping[str, Any],
    *,
    params: Mapping[str, Any] | BaseModel | None = None,
    request_id: str | None = None,
    progress: ProgressCallback = ignore_progress,
    tools: ToolRegistry | None = None,
    surface: Surface = "python",
    phase: PhaseOrigin = NO_PHASE,
) -> dict[str, Any]:
    """Call a tool by name or alias, and log the call.

    Args:
        project: the open project.
        name: the tool's name or alias, case-sensitive.
        arguments: JSON values, checked against the tool's input.
        params: the params that a phase gives, checked against the tool's model; an instance of the model is used
            without a check.
        request_id: the id of the call; None for a new one.
        progress: the callback for reports of progress.
        tools: a registry other than the shipped one.
        surface: the origin of the call, for the log.
        phase: the workflow and the run of a phase's call.

    Returns:
        The tool's output as JSON values.

    Raises:
        Fault: NOT_FOUND for an unknown tool, INVALID_INPUT for wrong arguments or params, FORBIDDEN for a tool that
            writes in a read-only project, TIMEOUT past the tool's limit, RATE_LIMITED when too many calls are
            running, NOT_FOUND or CONFLICT when the project's folder was moved or replaced, INTERNAL_ERROR for a bug in
            Aurora, and any fault that the tool itself raises.
    """
    request = request_id or new_request_id()
    context = Context(project, params or {}, request, progress, surface, phase)
    with record_call(project, request, resolve_alias(name), surface) as outcome, CALL_LIMITER.admit_call():
        output = _find_and_run_tool(name, arguments, context, tools)
        outcome.set_from_output(output)
        return output


def _find_and_run_tool(
    name: str, arguments: Mapping[str, Any], context: Context, tools: ToolRegistry | None
) -> dict[str, Any]:
    """Find and run a tool; report any error but a fault as a bug."""
    try:
        context.project.require_folder()
        tool = find_tool(name, context.project.root) if tools is None else tools.find(name)
        alias = tool.find_alias(name)
        if alias is None:
            return _run_tool(tool, arguments, context)
        log_alias(alias.name, tool.name, context.request_id)
        return _run_alias(tool, alias, arguments, context)
    except Fault:
        raise
    except Exception as error:
        log_failure(name, error)
        raise _make_internal_fault(name, context.request_id, error, tools) from error


def _run_alias(tool: Tool[Any, Any], alias: Alias, arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Run a tool that was called by an alias; a fault in its arguments explains their names."""
    translated = alias.translate_arguments(arguments)
    try:
        return _run_tool(tool, translated, context)
    except Fault as fault:
        if fault.code is not Code.INVALID_INPUT or not alias.arguments:
            raise
        names = ", ".join(f'"{name}" for "{own}"' for name, own in alias.arguments.items())
        help_ = f"{fault.help} As {alias.name} it also takes {names}.".strip()
        raise Fault(fault.code, fault.message, help=help_, details=fault.details) from None


def _run_tool(tool: Tool[Any, Any], arguments: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Validate the arguments and the params of `context`, and run the tool with a timeout."""
    if context.project.read_only and not tool.is_allowed_read_only(arguments):
        raise Fault(
            Code.FORBIDDEN,
            f'"{tool.name}" would write, and this project is open read-only',
            help="Start without --read-only (or unset READ_ONLY) to allow it.",
            details={"tool": tool.name, "risk": tool.risk},
        )
    called = tool.mcp if context.surface == "mcp" and tool.mcp else tool.name
    if context.surface == "mcp":
        arguments = adapt_arguments(tool.input, arguments, called)
    given = validate_arguments(tool.input, arguments, called)
    params = context.params
    if not isinstance(params, tool.params):
        params = validate_params(tool, params)

    def run_tool(report: ProgressCallback) -> dict[str, Any]:
        output = tool.run(given, context._replace(params=params, progress=report))
        dumped: dict[str, Any] = output.model_dump(mode="json", by_alias=True)
        return dumped

    return run_with_timeout(resolve_timeout(tool.timeout), run_tool, context.progress, tool.name)


def validate_params(tool: Tool[Any, Any], params: Mapping[str, Any] | BaseModel) -> BaseModel:
    """Return the validated params of a tool.

    Raises:
        Fault: INVALID_INPUT, with the path of each mistake.
    """
    given = params.model_dump(by_alias=True) if isinstance(params, BaseModel) else params
    made: BaseModel = validate_arguments(tool.params, given, f'the params of "{tool.name}"')
    return made


def _make_internal_fault(name: str, request: str, error: Exception, tools: ToolRegistry | None) -> Fault:
    if tools is None and not get_registry().is_known(name):
        message = f'"{name[:80]}" failed inside the distribution that has it ({type(error).__name__})'
        return Fault(Code.UPSTREAM_ERROR, message, help="Set AURORA_LOG=debug to log the traceback, and report it.")
    return Fault(
        Code.INTERNAL_ERROR,
        f'"{name[:80]}" failed inside Aurora ({type(error).__name__})',
        help="This is a bug in Aurora. Set AURORA_LOG=debug to log the traceback, and report it.",
        details={"request_id": request},
    )
