"""What hosts may offer a person beside the tools: prompts, resources, and how a name goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from mcp.shared.exceptions import MCPError

from aurora.faults import Code, Fault

from .calls import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

ResultT = TypeVar("ResultT")

_MAX_COMPLETIONS = 100
"""Values in one completion, as MCP has it."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
"""JSON-RPC's own numbers; `data` carries our code. For a resource that is unknown MCP too has invalid params."""


class PromptResourceHandler:
    """Answers for prompts, resources and completions; each reads files or the database, and so in a thread.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    async def list_prompts(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`prompts/list`."""
        from . import prompts as mcp_prompts  # noqa: PLC0415 - the start must not pay for what few hosts ask at once

        found = await _run_in_thread(lambda: mcp_prompts.list_prompts(self._project))
        return _build_uncached(prompts=found)

    async def get_prompt(self, _request: Request, params: types.GetPromptRequestParams) -> dict[str, Any]:
        """`prompts/get`."""
        from . import prompts as mcp_prompts  # noqa: PLC0415 - as above

        found = await _run_in_thread(lambda: mcp_prompts.get_prompt(self._project, params.name, params.arguments or {}))
        return {"resultType": "complete", **found}

    async def list_resources(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`resources/list`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        found = await _run_in_thread(lambda: mcp_resources.list_resources(self._project))
        return _build_uncached(resources=found)

    async def list_templates(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`resources/templates/list`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        return _build_uncached(resourceTemplates=list(mcp_resources.TEMPLATES))

    async def read_resource(self, _request: Request, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        """`resources/read`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        found = await _run_in_thread(lambda: mcp_resources.read_resource(self._project, str(params.uri)))
        return _build_uncached(contents=[found])

    async def complete_argument(self, _request: Request, params: types.CompleteRequestParams) -> dict[str, Any]:
        """`completion/complete`: the names that go on from what is typed, or else hold it."""
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
        from . import prompts as mcp_prompts  # noqa: PLC0415 - as above
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        if params.ref.type == "ref/prompt":
            return mcp_prompts.list_choices(self._project, params.ref.name, params.argument.name)
        said = (params.context and params.context.arguments) or {}
        return mcp_resources.list_names(self._project, params.argument.name, said.get("workflow", ""))


async def _run_in_thread(work: Callable[[], ResultT]) -> ResultT:
    """Do the work in a thread; a fault becomes a JSON-RPC error that bears our code, details and help."""

    def catch_faults() -> ResultT | Fault:
        try:
            return work()
        except Fault as fault:
            return fault  # as a value: a task group would wrap what is raised through it
        except OSError as error:
            return Fault(Code.UPSTREAM_ERROR, f"a file could not be read ({type(error).__name__})")

    outcome = await run_in_thread(catch_faults, "offers")
    if isinstance(outcome, Fault):
        number = _INTERNAL if outcome.code in {Code.INTERNAL_ERROR, Code.UPSTREAM_ERROR} else _INVALID_PARAMS
        # hosts show the message alone
        told = f"{outcome.message}. {outcome.help}" if outcome.help else outcome.message
        raise MCPError(number, told, outcome.to_json())
    return outcome


def _build_uncached(**said: Any) -> dict[str, Any]:
    """A result that a host shall not keep for longer than it must: a workflow may be edited at any moment."""
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **said}
