"""Server of the protocol: the SDK's server with Aurora's handlers for one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler

from aurora import __version__
from aurora.faults import show_hidden_values

from .access import get_caller
from .calls import ToolCallHandler
from .elicitation import PersonAsker
from .offers import PromptResourceHandler
from .watch import WorkflowWatcher

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from aurora.tools.core import Project, Tool

    from .question import StateSigner

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None

INSTRUCTIONS = (
    "Aurora guides you through a question about this project, one phase at a time, with a memory of the project's code "
    "and documents.\n"
    "- For a question that needs more than a look-up: call aurora_query with the first phase in its schema and the "
    "user's query. Then send the arguments of next_call unchanged, and add what its needs list: if there is a "
    "prompt_template, reason about it and send the answer. Continue until next_action is 'end'.\n"
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
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, calls)
    _offer_prompts_and_resources(server, project)
    return ProtocolServer(server, watch, listen)


def _offer_prompts_and_resources(server: Server[Any], project: Project) -> None:
    """Answer the requests for prompts, resources and completions.

    Handlers return plain JSON: the text of a result must equal its structured content, byte for byte.
    """
    offers = PromptResourceHandler(project)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, offers.list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, offers.get_prompt)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, offers.list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, offers.list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, offers.read_resource)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, offers.complete_argument)
