"""The one way to call a tool: find, check, forbid, run in time, log, and answer in JSON."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from aurora.faults import Code, Fault
from aurora.tools.core import Context, ProgressCallback, ToolRegistry, ignore_progress, validate_arguments

from . import call_log as calllog
from .instrumentation import record_call
from .limits import CALL_LIMITER, resolve_timeout
from .timeout import run_with_timeout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.tools.core import Project, Tool

    from .call_log import Surface


@cache
def get_registry() -> ToolRegistry:
    """The shipped toolbox, one for the process."""
    return ToolRegistry()


def new_request_id() -> str:
    """A short random name for one invocation."""
    return os.urandom(6).hex()  # as `secrets.token_hex` does, which brings three modules along


def call_tool(  # noqa: PLR0913 - the surfaces name what they need by keyword
    project: Project,
    name: str,
    arguments: Mapping[str, Any],
    *,
    params: Mapping[str, Any] | BaseModel | None = None,
    request_id: str | None = None,
    progress: ProgressCallback = ignore_progress,
    tools: ToolRegistry | None = None,
    surface: Surface = "python",
) -> dict[str, Any]:
    """Call a tool by name or alias and log one line about it.

    Args:
        project: the open project.
        name: the tool's name or alias, exactly and by case.
        arguments: JSON values, checked against the tool's input.
        params: the settings that a phase gives, checked against the tool's params; an instance of these is taken as
            it is, since it was checked when it was made (`settings`).
        request_id: given by the caller when it has one; made otherwise.
        progress: who watches long work.
        tools: another toolbox than the shipped one.
        surface: where the call comes from, for the log.

    Returns:
        The tool's output as JSON values.

    Raises:
        Fault: NOT_FOUND for an unknown tool, INVALID_INPUT for wrong arguments or params, FORBIDDEN for a tool that
            writes in a read-only project, TIMEOUT past the tool's limit, RATE_LIMITED when too many calls are under
            way, INTERNAL_ERROR for our own mistakes, and whatever the tool itself raises.
    """
    request = request_id or new_request_id()
    with record_call(project, request, name, surface) as outcome, CALL_LIMITER.admit_call():
        try:
            tool = (tools or get_registry()).find(name)
            output = _run_tool(tool, project, arguments, params or {}, request, progress)
        except Fault:
            raise
        except Exception as error:
            calllog.log_failure(name, error)
            raise _make_internal_fault(name, request, error) from error
        outcome.set_from_output(output)
        return output


def _run_tool(  # noqa: PLR0913, PLR0917 - the parts of one call, passed on in their order
    tool: Tool[Any, Any],
    project: Project,
    arguments: Mapping[str, Any],
    params: Mapping[str, Any] | BaseModel,
    request: str,
    progress: ProgressCallback,
) -> dict[str, Any]:
    if project.read_only and not tool.is_read_only(arguments):
        raise Fault(
            Code.FORBIDDEN,
            f'"{tool.name}" would write, and this project was opened read-only',
            help="Leave out --read-only (or unset READ_ONLY) to allow it.",
            details={"tool": tool.name, "risk": tool.risk},
        )
    given = validate_arguments(tool.input, arguments, tool.name)
    chosen = params if isinstance(params, tool.params) else validate_params(tool, params)

    def run_tool(report: ProgressCallback) -> dict[str, Any]:
        output = tool.run(given, Context(project, chosen, request, report))
        dumped: dict[str, Any] = output.model_dump(mode="json", by_alias=True)
        return dumped

    return run_with_timeout(resolve_timeout(tool.timeout), run_tool, progress, tool.name)


def validate_params(tool: Tool[Any, Any], params: Mapping[str, Any] | BaseModel) -> BaseModel:
    """The tool's settings, checked.

    Raises:
        Fault: INVALID_INPUT, with the path of each wrong one.
    """
    given = params.model_dump(by_alias=True) if isinstance(params, BaseModel) else params
    made: BaseModel = validate_arguments(tool.params, given, f'the params of "{tool.name}"')
    return made


def _make_internal_fault(name: str, request: str, error: Exception) -> Fault:
    return Fault(
        Code.INTERNAL_ERROR,
        f'"{name[:80]}" failed inside Aurora ({type(error).__name__})',
        help="This is our mistake, and nothing of yours. AURORA_LOG=debug shows where; please report it.",
        details={"request_id": request},
    )
