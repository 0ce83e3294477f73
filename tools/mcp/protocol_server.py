"""Server of the protocol: the SDK's server with Aurora's handlers for one project."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from aurora import __version__
from aurora.errors import Code, Fault, show_hidden_line, show_hidden_values
from aurora.tools import runtime
from aurora.tools.core import DEFAULT_TOOLS, JSON_TYPES
from aurora.tools.text import hide_server_paths
from aurora.tools.workflows.query import QUERY_SCHEMA

from . import offers
from .access import get_caller
from .calls import ToolCallHandler
from .elicitation import PersonAsker
from .responses import hide_in_result
from .threads import run_in_thread
from .watch import WorkflowWatcher

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions
    from pydantic import BaseModel

    from aurora.tools.core import Project, Tool

    from .elicitation import StateSigner

    Request = ServerRequestContext[Any, Any]
    Paging = types.PaginatedRequestParams | None
    Handler = Callable[[Request, Any], Awaitable[dict[str, Any]]]

_MAX_COMPLETIONS = 100
"""Limit of MCP for the values of one completion."""

_INVALID_PARAMS, _INTERNAL = -32602, -32603
"""Error numbers of JSON-RPC; `data` has Aurora's code. MCP specifies invalid params for an unknown resource, too."""

_UNCACHED = {"ttlMs": 0, "cacheScope": "private"}
"""A host must cache no list, because a workflow may be edited at any time."""

INSTRUCTIONS = (
    "Aurora guides you through a question about this project, one phase at a time, with a memory of the project's code "
    "and documents.\n"
    "- For a question that needs more than a look-up: call aurora_query with the user's query, workflow soar-fast, and "
    "without a phase. Then send the arguments of next_call unchanged, and add what its "
    "needs list: if there is a prompt_template, reason about it and send the answer. Continue until next_action is "
    "'end'.\n"
    "- To find something: aurora_search, with exact, of or each for all places; to read it: aurora_get.\n"
    "- Before you give an answer with path:line: aurora_query with the query, workflow check and your answer says what "
    "is wrong in it and which places it leaves out.\n"
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

    @property
    def options(self) -> InitializationOptions:
        """Options that a handshake declares: only the prompts follow the workflows."""
        return self.server.create_initialization_options(NotificationOptions(prompts_changed=True))


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
    watch = WorkflowWatcher(project)
    calls = ToolCallHandler(project, tools, PersonAsker(project, signer=signer), has_session=has_session)
    by_name = {tool.mcp: tool for tool in tools}
    listed = list_mcp_tools(tools, read_only=project.read_only)
    listen = ListenHandler(watch.bus)

    async def list_tools(request: Request, _: Paging) -> dict[str, Any]:
        watch.note_list(request.session if has_session else None)
        caller = get_caller(request.request)
        offered = [one for one in listed if caller.may_use(by_name[one["name"]])]
        return {"resultType": "complete", **_UNCACHED, "tools": show_hidden_values(offered)}

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
        **_list_offers(project),
    }
    for method, (params, handler) in handlers.items():
        server.add_request_handler(method, params, handler if has_session else _hide_paths(handler, project))
    return ProtocolServer(server, watch, listen)


def _list_offers(project: Project) -> dict[str, tuple[type[Any], Handler]]:
    """List the handlers of prompts, resources and completions.

    Each reads files or the database in a thread, and returns plain JSON: the text of a result must equal its structured
    content, byte for byte.
    """
    listing = types.PaginatedRequestParams
    readers: dict[str, tuple[type[Any], Callable[[Any], dict[str, Any]]]] = {
        "prompts/list": (listing, lambda _: {**_UNCACHED, "prompts": offers.list_prompts(project)}),
        "prompts/get": (
            types.GetPromptRequestParams,
            lambda params: offers.get_prompt(project, params.name, params.arguments or {}),
        ),
        "resources/list": (listing, lambda _: {**_UNCACHED, "resources": offers.list_resources(project)}),
        "resources/templates/list": (listing, lambda _: {**_UNCACHED, "resourceTemplates": list(offers.TEMPLATES)}),
        "resources/read": (
            types.ReadResourceRequestParams,
            lambda params: {**_UNCACHED, "contents": [offers.read_resource(project, str(params.uri))]},
        ),
        "completion/complete": (types.CompleteRequestParams, lambda params: _complete_argument(project, params)),
    }
    return {method: (params, _answer_in_thread(read)) for method, (params, read) in readers.items()}


def _complete_argument(project: Project, params: types.CompleteRequestParams) -> dict[str, Any]:
    """Complete a name: those that start with the typed text, then those that contain it."""
    if params.ref.type == "ref/prompt":
        found = offers.list_choices(project, params.ref.name, params.argument.name)
    else:
        given = (params.context and params.context.arguments) or {}
        found = offers.list_names(project, params.argument.name, given.get("workflow", ""))
    typed = params.argument.value.casefold()
    fitting = [name for name in found if name.casefold().startswith(typed)]
    fitting += [name for name in found if typed in name.casefold() and name not in fitting]
    shown = fitting[:_MAX_COMPLETIONS]
    return {"completion": {"values": shown, "total": len(fitting), "hasMore": len(fitting) > len(shown)}}


def _answer_in_thread(read: Callable[[Any], dict[str, Any]]) -> Handler:
    """Return a handler that reads in a thread; a fault becomes an error of JSON-RPC."""

    async def answer(_request: Request, params: Any) -> dict[str, Any]:
        outcome = await run_in_thread(lambda: _catch_faults(read, params), "offers")
        if isinstance(outcome, Fault):
            number = _INTERNAL if outcome.code in {Code.INTERNAL_ERROR, Code.UPSTREAM_ERROR} else _INVALID_PARAMS
            # Hosts show the message only.
            message = f"{outcome.message}. {outcome.help}" if outcome.help else outcome.message
            raise MCPError(number, show_hidden_line(message), show_hidden_values(outcome.to_json()))
        return {"resultType": "complete", **show_hidden_values(outcome)}

    return answer


def _catch_faults(read: Callable[[Any], dict[str, Any]], params: Any) -> dict[str, Any] | Fault:
    """Return a fault as a value: a task group would wrap the exception."""
    try:
        return read(params)
    except Fault as fault:
        return fault
    except OSError as error:
        return Fault(Code.UPSTREAM_ERROR, f"a file could not be read ({type(error).__name__})")


def _hide_paths(handler: Handler, project: Project) -> Handler:
    """Return a handler whose results and errors name no folder of this machine."""

    async def answer(request: Request, params: Any) -> dict[str, Any]:
        try:
            return hide_in_result(await handler(request, params), project.root)
        except MCPError as error:
            hidden = hide_server_paths({"message": error.message, "data": error.data}, project.root)
            raise MCPError(error.code, hidden["message"], hidden["data"]) from None

    return answer


# ── the answers as a file ──


def format_early_answers() -> str:
    """Return the file of `aurora.early`: what a server with the default tools answers to any plain host."""
    with tempfile.TemporaryDirectory() as folder, runtime.Workspace(Path(folder)) as project:
        known = {
            "handshake": {
                "versions": HANDSHAKE_PROTOCOL_VERSIONS,
                "results": anyio.run(_collect_results, project, _list_handshake_requests()),
            },
            "stateless": {
                "versions": MODERN_PROTOCOL_VERSIONS,
                "results": anyio.run(_collect_results, project, _list_stateless_requests()),
            },
        }
    return json.dumps(known, ensure_ascii=False, indent=1) + "\n"


_CLIENT = {"name": "aurora", "version": __version__}

_CONSTANT = ("tools/list", "resources/templates/list")
"""Lists that depend on the release alone; prompts and resources follow the project's files."""


def _list_handshake_requests() -> dict[str, dict[str, Any]]:
    hello = {"protocolVersion": HANDSHAKE_PROTOCOL_VERSIONS[-1], "capabilities": {}, "clientInfo": _CLIENT}
    return {"initialize": hello, "ping": {}, **{method: {} for method in _CONSTANT}}


def _list_stateless_requests() -> dict[str, dict[str, Any]]:
    values = {"protocolVersion": MODERN_PROTOCOL_VERSIONS[-1], "clientInfo": _CLIENT, "clientCapabilities": {}}
    envelope = {"_meta": {f"io.modelcontextprotocol/{name}": value for name, value in values.items()}}
    return dict.fromkeys(("server/discover", *_CONSTANT), envelope)


async def _collect_results(project: Project, requests: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Send requests to a server within this process, and return its results by method."""
    built = build_protocol_server(project, runtime.get_registry().select_mcp())
    send, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    outbox, receive = anyio.create_memory_object_stream[SessionMessage](1)
    results = {}
    async with send, inbox, outbox, receive, anyio.create_task_group() as group:
        group.start_soon(built.server.run, inbox, outbox, built.options)
        for method, params in requests.items():
            await send.send(
                SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=method, method=method, params=params))
            )
            answer = (await receive.receive()).message
            results[method] = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)["result"]
        group.cancel_scope.cancel()
    return results


QUERY_TOOL = DEFAULT_TOOLS[0]


_ANY_TYPE = {"anyOf": [{"type": name} for name in JSON_TYPES]}

_INPUT_NOISE_KEYS = frozenset({"maxLength", "title", "minLength", "minItems", "maxItems", "pattern"})
"""Keywords that the fault of a wrong call explains better."""

_TYPE_ONLY_KEYS = frozenset({"type", "title", "additionalProperties", "items"})

_OUTPUT_KEYS = frozenset({"type", "properties", "items", "enum", "required", "anyOf", "$ref"})
"""Keywords with which a host validates an output."""


def list_mcp_tools(tools: Iterable[Tool[Any, Any]], *, read_only: bool = False) -> list[dict[str, Any]]:
    """Return the tools as JSON for MCP; in a read-only project without those that write.

    The default tools have their aliases only next to other tools: every host pays for the list of the three by
    themselves in each session.
    """
    offered = [tool for tool in tools if tool.is_offered_read_only or not read_only]
    has_more = any(tool.name not in DEFAULT_TOOLS for tool in offered)
    return [to_mcp_tool(tool, read_only=read_only, has_aliases=has_more) for tool in offered]


def to_mcp_tool(tool: Tool[Any, Any], *, read_only: bool = False, has_aliases: bool = True) -> dict[str, Any]:
    """Return one tool as JSON for MCP.

    Args:
        tool: the declaration.
        read_only: nothing may write.
        has_aliases: name its aliases in the description and under `_meta`.

    Returns:
        Its name, title, description, schemas, and annotations. `_meta` of a default tool has the request to load its
        schemas at once, for a host that hides schemas behind a search.
    """
    meta: dict[str, Any] = {}
    if tool.name in DEFAULT_TOOLS:
        meta["anthropic/alwaysLoad"] = True
    if tool.aliases and has_aliases:
        meta["aurora/aliases"] = list(tool.alias_names)
    listed: dict[str, Any] = {
        "name": tool.mcp,
        "title": tool.title,
        "description": _describe_tool(tool) if has_aliases else tool.description,
        "inputSchema": dict(QUERY_SCHEMA) if tool.name == QUERY_TOOL else build_input_schema(tool.input),
        "outputSchema": build_output_schema(tool.output),
        "annotations": {
            "readOnlyHint": tool.risk == "read" or read_only,
            "destructiveHint": tool.risk == "high",
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    return {**listed, "_meta": meta} if meta else listed


def _describe_tool(tool: Tool[Any, Any]) -> str:
    """Return the description, with the aliases and their arguments."""
    if not tool.aliases:
        return tool.description
    return f"{tool.description} Also called {', '.join(alias.describe() for alias in tool.aliases)}."


# ── schemas, as short as possible, because they cost tokens in every session ──


def build_input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, without titles, references and `null` for optional fields."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)  # the docstring of the model; the host reads the tool's description

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        has_null = "default" in node and node["default"] is None
        shown = _drop_null(node) if has_null else node
        return {key: value for key, value in shown.items() if not _is_noise(key, value)}

    return _transform_schema(schema, definitions, filter_keywords)


def build_output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a tool's output, without descriptions.

    An error fits it too, so that no field is required and any status allowed: some hosts validate errors as well, and
    hide the message of one that does not fit.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def filter_keywords(node: dict[str, Any]) -> dict[str, Any]:
        return _reduce_branches({key: value for key, value in node.items() if key in _OUTPUT_KEYS})

    walked = _transform_schema(schema, definitions, filter_keywords)
    properties = {name: _collapse_objects(inner) for name, inner in walked["properties"].items()}
    properties.get("status", {}).pop("enum", None)
    return {"type": walked["type"], "properties": properties}


def _transform_schema(schema: dict[str, Any], definitions: dict[str, Any], transform: Any) -> dict[str, Any]:
    """Return the schema with every reference resolved and every node passed through `transform`."""

    def transform_node(node: Any, *, names: bool = False) -> Any:
        """Transform a node; with `names` its keys are names of properties, so that one called `title` stays."""
        if isinstance(node, list):
            return [transform_node(one) for one in node]
        if not isinstance(node, dict):
            return node
        if names:
            return {name: transform_node(inner) for name, inner in node.items()}
        if str(node.get("$ref")).endswith("/Json"):
            return _ANY_TYPE
        if "$ref" in node:
            node = {**definitions[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
        return {key: transform_node(value, names=key == "properties") for key, value in transform(node).items()}

    walked: dict[str, Any] = transform_node(schema)
    return walked


def _is_noise(key: str, value: Any) -> bool:
    if key == "minimum":
        return value in (0, 1)  # too obvious to state
    return key in _INPUT_NOISE_KEYS or (key == "default" and (not value or isinstance(value, list)))


def _drop_null(node: dict[str, Any]) -> dict[str, Any]:
    """Return the type of an optional argument without `null`: a host omits the argument instead."""
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) != 1:
        return node
    return {**branches[0], **{key: value for key, value in node.items() if key != "anyOf"}}


def _collapse_objects(node: dict[str, Any]) -> dict[str, Any]:
    """Reduce a nested object of an output, and the items of a list, to their type.

    Each session pays for the schema, and what an answer contains is seen in the answer.
    """
    if "properties" in node:
        return {"type": "object"}
    if "properties" in node.get("items", {}):
        return {**node, "items": {"type": "object"}}
    if any("properties" in branch for branch in node.get("anyOf", ())):
        return _reduce_branches({"anyOf": [_collapse_objects(branch) for branch in node["anyOf"]]})
    return node


def _reduce_branches(node: dict[str, Any]) -> dict[str, Any]:
    """Reduce branches that are only a type to it.

    Not to one list of types, `["string", "null"]`, which the Inspector warns of: some hosts know one type a schema.
    """
    branches = node.get("anyOf", ())
    if not all(set(branch) <= _TYPE_ONLY_KEYS for branch in branches):
        return node
    return node | ({"anyOf": [{"type": branch["type"]} for branch in branches]} if branches else {})
