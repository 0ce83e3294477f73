"""Handlers for prompts, resources and completions, which hosts offer to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from mcp.shared.exceptions import MCPError

from aurora.faults import Code, Fault, show_hidden_line, show_hidden_values

from . import prompts, resources
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

ResultT = TypeVar("ResultT")

_MAX_COMPLETIONS = 100
"""Limit of MCP for the values of one completion."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
"""Error numbers of JSON-RPC; `data` has Aurora's code. MCP specifies invalid params for an unknown resource, too."""


class PromptResourceHandler:
    """Handlers for prompts, resources and completions; each reads files or the database in a thread.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    async def list_prompts(self, _request: Request, _: Paging) -> dict[str, Any]:
        """Handle `prompts/list`."""
        found = await _run_in_thread(lambda: prompts.list_prompts(self._project))
        return _build_uncached(prompts=found)

    async def get_prompt(self, _request: Request, params: types.GetPromptRequestParams) -> dict[str, Any]:
        """Handle `prompts/get`."""
        found = await _run_in_thread(lambda: prompts.get_prompt(self._project, params.name, params.arguments or {}))
        return {"resultType": "complete", **found}

    async def list_resources(self, _request: Request, _: Paging) -> dict[str, Any]:
        """Handle `resources/list`."""
        found = await _run_in_thread(lambda: resources.list_resources(self._project))
        return _build_uncached(resources=found)

    async def list_templates(self, _request: Request, _: Paging) -> dict[str, Any]:
        """Handle `resources/templates/list`."""
        return _build_uncached(resourceTemplates=list(resources.TEMPLATES))

    async def read_resource(self, _request: Request, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        """Handle `resources/read`."""
        found = await _run_in_thread(lambda: resources.read_resource(self._project, str(params.uri)))
        return _build_uncached(contents=[found])

    async def complete_argument(self, _request: Request, params: types.CompleteRequestParams) -> dict[str, Any]:
        """Handle `completion/complete`: the names that start with the typed text, then those that contain it."""
        found = await _run_in_thread(lambda: self._list_candidates(params))
        typed = params.argument.value.casefold()
        fitting = [name for name in found if name.casefold().startswith(typed)]
        fitting += [name for name in found if typed in name.casefold() and name not in fitting]
        completion = {
            "values": fitting[:_MAX_COMPLETIONS],
            "total": len(fitting),
            "hasMore": len(fitting) > _MAX_COMPLETIONS,
        }
        return {"resultType": "complete", "completion": completion}

    def _list_candidates(self, params: types.CompleteRequestParams) -> list[str]:
        if params.ref.type == "ref/prompt":
            return prompts.list_choices(self._project, params.ref.name, params.argument.name)
        given = (params.context and params.context.arguments) or {}
        return resources.list_names(self._project, params.argument.name, given.get("workflow", ""))


async def _run_in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Run the work in a thread; a fault becomes a JSON-RPC error with Aurora's code, details and help."""

    def catch_faults() -> ResultT | Fault:
        try:
            return work()
        except Fault as fault:
            return fault  # as a value: a task group would wrap the exception
        except OSError as error:
            return Fault(Code.UPSTREAM_ERROR, f"a file could not be read ({type(error).__name__})")

    outcome = await run_in_thread(catch_faults, "offers")
    if isinstance(outcome, Fault):
        number = _INTERNAL if outcome.code in {Code.INTERNAL_ERROR, Code.UPSTREAM_ERROR} else _INVALID_PARAMS
        # Hosts show the message only.
        message = f"{outcome.message}. {outcome.help}" if outcome.help else outcome.message
        raise MCPError(number, show_hidden_line(message), show_hidden_values(outcome.to_json()))
    return cast("ResultT", show_hidden_values(outcome))


def _build_uncached(**content: Any) -> dict[str, Any]:
    """Return a result that a host must not cache, because a workflow may be edited at any time."""
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **content}
