"""What hosts may offer a person beside the tools: prompts, resources, and how a name goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from mcp.shared.exceptions import MCPError

from aurora.faults import Code, Fault

from .calls import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core.project import Project

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

ResultT = TypeVar("ResultT")

_MOST = 100
"""Values in one completion, as MCP has it."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
"""JSON-RPC's own numbers; `data` carries our code. For a resource that is unknown MCP too has invalid params."""


class Offers:
    """Answers for prompts, resources and completions; each reads files or the database, and so in a thread.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    async def prompts(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`prompts/list`."""
        from . import prompts as mcp_prompts  # noqa: PLC0415 - the start must not pay for what few hosts ask at once

        found = await _run(lambda: mcp_prompts.prompts(self._project))
        return _fresh(prompts=found)

    async def prompt(self, _request: Request, params: types.GetPromptRequestParams) -> dict[str, Any]:
        """`prompts/get`."""
        from . import prompts as mcp_prompts  # noqa: PLC0415 - as above

        found = await _run(lambda: mcp_prompts.prompt(self._project, params.name, params.arguments or {}))
        return {"resultType": "complete", **found}

    async def resources(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`resources/list`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        found = await _run(lambda: mcp_resources.resources(self._project))
        return _fresh(resources=found)

    async def templates(self, _request: Request, _: Paging) -> dict[str, Any]:
        """`resources/templates/list`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        return _fresh(resourceTemplates=list(mcp_resources.TEMPLATES))

    async def read(self, _request: Request, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        """`resources/read`."""
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        found = await _run(lambda: mcp_resources.read(self._project, str(params.uri)))
        return _fresh(contents=[found])

    async def complete(self, _request: Request, params: types.CompleteRequestParams) -> dict[str, Any]:
        """`completion/complete`: the names that go on from what is typed, or else hold it."""
        found = await _run(lambda: self._candidates(params))
        typed = params.argument.value.casefold()
        fitting = [name for name in found if name.casefold().startswith(typed)]
        fitting += [name for name in found if typed in name.casefold() and name not in fitting]
        completion = {"values": fitting[:_MOST], "total": len(fitting), "hasMore": len(fitting) > _MOST}
        return {"resultType": "complete", "completion": completion}

    def _candidates(self, params: types.CompleteRequestParams) -> list[str]:
        from . import prompts as mcp_prompts  # noqa: PLC0415 - as above
        from . import resources as mcp_resources  # noqa: PLC0415 - as above

        if params.ref.type == "ref/prompt":
            return mcp_prompts.choices(self._project, params.ref.name, params.argument.name)
        said = (params.context and params.context.arguments) or {}
        return mcp_resources.names(self._project, params.argument.name, said.get("workflow", ""))


async def _run(work: Callable[[], ResultT]) -> ResultT:
    """Do the work in a thread; a fault becomes a JSON-RPC error that bears our code, details and help."""

    def safely() -> ResultT | Fault:
        try:
            return work()
        except Fault as fault:
            return fault  # as a value: a task group would wrap what is raised through it
        except OSError as error:
            return Fault(Code.UPSTREAM_ERROR, f"a file could not be read ({type(error).__name__})")

    outcome = await in_thread(safely, "offers")
    if isinstance(outcome, Fault):
        number = _INTERNAL if outcome.code in {Code.INTERNAL_ERROR, Code.UPSTREAM_ERROR} else _INVALID_PARAMS
        # hosts show the message alone
        told = f"{outcome.message}. {outcome.help}" if outcome.help else outcome.message
        raise MCPError(number, told, outcome.as_json())
    return outcome


def _fresh(**said: Any) -> dict[str, Any]:
    """A result that a host shall not keep for longer than it must: a workflow may be edited at any moment."""
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **said}
