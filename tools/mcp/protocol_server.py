"""Server of the protocol: the SDK's server with Aurora's handlers for one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from aurora import __version__
from aurora.faults import show_hidden_values
from aurora.tools.text import hide_server_paths

from .access import get_caller
from .calls import ToolCallHandler
from .elicitation import PersonAsker
from .offers import PromptResourceHandler
from .responses import hide_in_result
from .watch import WorkflowWatcher

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project, Tool

    from .question import StateSigner

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None
    Handler = Callable[[Request, Any], Awaitable[dict[str, Any]]]

INSTRUCTIONS = (
    "Aurora guides you through a question about this project, one phase at a time, with a memory of the project's code "
    "and documents.\n"
    "- For a question that needs more than a look-up: call aurora_query with the user's query and without a phase; "
    "`workflow` names another workflow than soar. Then send the arguments of next_call unchanged, and add what its "
    "needs list: if there is a prompt_template, reason about it and send the answer. Continue until next_action is "
    "'end'.\n"
    "- To find something: aurora_search; to read it: aurora_get with the ids, or with a path and lines.\n"
    "- An error has a code, a message, help on what would be right, and often a next_call that fixes it."
)


class ProtocolServer(NamedTuple):
    """Server of the protocol for one project.

    Attributes:
        server: the SDK's server.
        watch: the watcher of the workflows, which runs beside it.
        listen: the streams of notifications in the stateless era, to close at the end.
    """

    server: Server[Any]
    watch: WorkflowWatcher
    listen: ListenHandler


def build_protocol_server(
    project: Project,
    tools: tuple[Tool[Any, Any], ...],
    *,
    signer: StateSigner | None = None,
    has_session: bool = True,
) -> ProtocolServer:
    """Build the server of a project.

    Args:
        project: the open project.
        tools: the tools to offer.
        signer: signs the states of questions; by default with a key of this process.
        has_session: one host is connected, and is notified of changes; over HTTP no session outlives a request.
    """
    watch = WorkflowWatcher(project, tools)
    calls = ToolCallHandler(project, tools, PersonAsker(project, signer=signer))
    by_name = {tool.mcp: tool for tool in tools}
    listen = ListenHandler(watch.bus)

    async def list_tools(request: Request, _: Paging) -> dict[str, Any]:
        # A workflow may be edited at any time, so a host must not cache the list.
        fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        listed = await watch.list_tools(request.session if has_session else None)
        caller = get_caller(request.request)
        offered = [one for one in listed if caller.may_use(by_name[one["name"]])]
        return {"tools": show_hidden_values(offered), **fresh}

    server: Server[Any] = Server(
        "aurora",
        version=__version__,
        title="Aurora",
        instructions=INSTRUCTIONS,
        on_subscriptions_listen=listen,
    )
    handlers: dict[str, tuple[type[Any], Handler]] = {
        "tools/list": (types.PaginatedRequestParams, list_tools),
        "tools/call": (types.CallToolRequestParams, calls),
        **_list_offers(PromptResourceHandler(project)),
    }
    for method, (params, handler) in handlers.items():
        server.add_request_handler(method, params, handler if has_session else _hide_paths(handler, project))
    return ProtocolServer(server, watch, listen)


def _list_offers(offers: PromptResourceHandler) -> dict[str, tuple[type[Any], Handler]]:
    """List the handlers of prompts, resources and completions.

    Handlers return plain JSON: the text of a result must equal its structured content, byte for byte.
    """
    return {
        "prompts/list": (types.PaginatedRequestParams, offers.list_prompts),
        "prompts/get": (types.GetPromptRequestParams, offers.get_prompt),
        "resources/list": (types.PaginatedRequestParams, offers.list_resources),
        "resources/templates/list": (types.PaginatedRequestParams, offers.list_templates),
        "resources/read": (types.ReadResourceRequestParams, offers.read_resource),
        "completion/complete": (types.CompleteRequestParams, offers.complete_argument),
    }


def _hide_paths(handler: Handler, project: Project) -> Handler:
    """Return a handler whose results and errors name no folder of this machine."""

    async def answer(request: Request, params: Any) -> dict[str, Any]:
        try:
            return hide_in_result(await handler(request, params), project.root)
        except MCPError as error:
            hidden = hide_server_paths({"message": error.message, "data": error.data}, project.root)
            raise MCPError(error.code, hidden["message"], hidden["data"]) from None

    return answer
