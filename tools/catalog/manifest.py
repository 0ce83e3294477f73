"""Manifest of all tools as JSON, with the fields that differ at every call marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora import __version__
from aurora.errors import Code, quote_names
from aurora.tools.core import NO_COMMAND, NO_MCP, NO_TOOL, TOOLSETS, Family, Json, Risk, StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from aurora.tools.core import Tool

    AnyTool = Tool[Any, Any]

_FOREIGN = "it belongs to another distribution, whose tools are only for phases"


class ManifestExample(StrictModel):
    """Example of a call; `params` are those of a phase that uses the tool."""

    title: str
    arguments: dict[str, Json]
    params: dict[str, Json]


class ManifestAlias(StrictModel):
    """Name of a tool in another system, and how its arguments there map to the tool's."""

    name: str
    arguments: dict[str, str] = Field(description="Argument there -> the tool's argument.")
    values: dict[str, dict[str, str]] = Field(description="The tool's argument -> word there -> word here.")
    unused: dict[str, str] = Field(description="Argument there that changes nothing here -> the reason.")


class ManifestTool(StrictModel):
    """Tool with a stable name; `uses`, `mcp` and `command` are its names on the surfaces."""

    name: str
    uses: str = Field(description="Its name in a phase of a workflow.")
    mcp: str | None = Field(description="Its name over MCP; null if it is not offered there.")
    not_over_mcp: str | None = Field(description="Why it is not offered over MCP; null if it is.")
    command: str | None = Field(description="Its command; null if it has none of its own.")
    no_command: str | None = Field(description="Why it has no command of its own; null if it has one.")
    aliases: tuple[ManifestAlias, ...]
    title: str
    description: str
    family: Family = Field(description='Its toolset; "reasoning" is only for phases.')
    risk: Risk = Field(description='"read" changes nothing, "write" adds, "high" may lose data.')
    phases: bool = Field(description="A phase of any workflow may use it.")
    jobs: bool = Field(description="A phase of a job that a person starts in a terminal may use it.")
    idempotent: bool
    timeout_seconds: float
    constraints: tuple[str, ...]
    input_schema: dict[str, Json]
    output_schema: dict[str, Json]
    params_schema: dict[str, Json]
    error_schema: dict[str, Json]
    examples: tuple[ManifestExample, ...]


class ManifestCommand(StrictModel):
    """Command that has no tool of its own, with the reason."""

    command: str
    interactive: bool = Field(description="It needs a terminal with a person, or runs until it is stopped.")
    reason: str
    tool: str | None = Field(description="The tool that does the same, one step at a time; null if there is none.")


class ManifestToolset(StrictModel):
    """Group of tools that a host may add to the default tools."""

    name: str
    description: str


class ManifestError(StrictModel):
    """Error code with its meaning."""

    code: Code
    meaning: str


class Manifest(StrictModel):
    """Manifest of every tool of Aurora; the schemas are JSON Schema, draft 2020-12."""

    manifest: Literal[1] = 1
    name: Literal["aurora"] = "aurora"
    version: str
    toolsets: tuple[ManifestToolset, ...]
    errors: tuple[ManifestError, ...]
    tools: tuple[ManifestTool, ...]
    commands: tuple[ManifestCommand, ...] = Field(description="The commands that have no tool.")


def build_manifest(tools: Iterable[AnyTool]) -> Manifest:
    """Return the manifest of these tools, sorted by name; the same declarations give the same manifest."""
    return Manifest(
        version=__version__,
        toolsets=tuple(ManifestToolset(name=name, description=text) for name, text in TOOLSETS.items()),
        errors=tuple(ManifestError(code=code, meaning=text) for code, text in MEANINGS.items()),
        tools=tuple(describe_tool(tool) for tool in sorted(tools, key=lambda tool: tool.stable_name)),
        commands=tuple(
            ManifestCommand(
                command=f"aur {words}",
                interactive=only.interactive,
                reason=only.reason,
                tool=only.tool.replace(".", "_") or None,
            )
            for words, only in sorted(NO_TOOL.items())
        ),
    )


def describe_tool(tool: AnyTool) -> ManifestTool:
    """Return the manifest's description of a tool."""
    return ManifestTool(
        name=tool.stable_name,
        uses=tool.name,
        mcp=tool.mcp,
        not_over_mcp=None if tool.mcp else NO_MCP.get(tool.name, _FOREIGN),
        command=f"aur {tool.command.words}" if tool.command else None,
        no_command=None if tool.command else NO_COMMAND.get(tool.name, _FOREIGN),
        aliases=tuple(
            ManifestAlias(
                name=alias.name,
                arguments=dict(alias.arguments),
                values={name: dict(words) for name, words in alias.values.items()},
                unused=dict(alias.unused),
            )
            for alias in tool.aliases
        ),
        title=tool.title,
        description=tool.description,
        family=tool.family,
        risk=tool.risk,
        phases=tool.phases,
        jobs=tool.phases or tool.jobs,
        idempotent=tool.idempotent,
        timeout_seconds=tool.timeout,
        constraints=tuple(_list_constraints(tool)),
        input_schema=build_schema(tool.input),
        output_schema=mark_volatile_fields(build_schema(tool.output, output=True)),
        params_schema=build_schema(tool.params),
        error_schema=build_schema(ErrorEnvelope, output=True),
        examples=tuple(
            ManifestExample(title=one.title, arguments=dict(one.arguments), params=dict(one.params))
            for one in tool.examples
        ),
    )


def _list_constraints(tool: AnyTool) -> Iterator[str]:
    """Yield the tool's own constraints, then those that follow from its declaration."""
    yield from tool.constraints
    if tool.runs_read_only:
        yield "When read-only it runs and stores nothing."
    elif tool.risk != "read":
        given = f", if {quote_names(tool.writes_with)} is given" if tool.writes_with else ""
        yield f"When read-only it returns FORBIDDEN and changes nothing{given}."
    yield f"Past {tool.timeout:g} s it returns TIMEOUT."


MEANINGS: Mapping[Code, str] = {
    Code.INVALID_INPUT: "An argument, a document or an answer is invalid.",
    Code.NOT_FOUND: "A named thing does not exist: a tool, a phase, a chunk, a file, a run.",
    Code.CONFLICT: "It conflicts with the current state: a phase out of order, an ambiguous name.",
    Code.UNAUTHORIZED: "The caller is not authenticated: a server over HTTP got no valid token.",
    Code.FORBIDDEN: "It is not allowed here: a tool that writes when read-only, a path outside the project.",
    Code.TIMEOUT: "It exceeded the tool's timeout; no change is left incomplete.",
    Code.RATE_LIMITED: "Too many concurrent calls; send the same call again later.",
    Code.UPSTREAM_ERROR: "A dependency of Aurora failed: the disk, the database, an external program.",
    Code.WORKFLOW_ERROR: "A mistake in the workflow that shows only when it runs.",
    Code.INTERNAL_ERROR: "A bug in Aurora.",
}


class ErrorBody(StrictModel):
    """Body of an error: what is wrong, and what to do."""

    code: Code
    message: str = Field(description="One sentence on what is wrong, with names quoted.")
    details: dict[str, Json] = Field(description="Data for programs: paths of wrong fields, valid choices.")
    help: str = Field(description="What to do, or the command that fixes it; may be empty.")


class ErrorEnvelope(StrictModel):
    """Error that every tool returns on every surface when it refuses or fails."""

    status: Literal["error"]
    error: ErrorBody


_NAME_MAPS = frozenset({"properties", "$defs"})
"""Keywords whose keys are names, one of which may be `title`."""


def build_schema(model: type[BaseModel], *, output: bool = False) -> dict[str, Any]:
    """Return the schema of a model as input, or as output."""
    schema = model.model_json_schema(mode="serialization" if output else "validation")
    bare: dict[str, Any] = _strip_titles(schema)
    return bare


def _strip_titles(node: Any, *, names: bool = False) -> Any:
    if isinstance(node, list):
        return [_strip_titles(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _strip_titles(value, names=key in _NAME_MAPS and not names)
        for key, value in node.items()
        if names or key != "title" or not isinstance(value, str)
    }


VARIES_KEY = "x-varies"
"""Key that the manifest adds to the schema of such a field; its value is the reason."""


_TIMESTAMP = "a timestamp"

_DURATION = "a duration"

_DIGITS = "the digits of durations count"

_RANDOM_NAME = "a random name"

_SIZE = "bytes on disk, which depend on the database's internal layout"

VOLATILE_FIELDS: Mapping[str, str] = {
    "activation": "it decays over time",
    "at": _TIMESTAMP,
    "base": "it decays over time",
    "created_at": _TIMESTAMP,
    "duration_ms": _DURATION,
    "embedding_seconds": _DURATION,
    "indexed_at": _TIMESTAMP,
    "made_at": _TIMESTAMP,
    "request_id": _RANDOM_NAME,
    "run": _RANDOM_NAME,
    "seconds": _DURATION,
    "size_bytes": _SIZE,
    "sizes": _SIZE,
    "time": _TIMESTAMP,
    "tokens": _DIGITS,
    "tokens_used": _DIGITS,
    "updated_at": _TIMESTAMP,
}
"""Name of an output field at any depth -> the reason why its value varies."""


def mark_volatile_fields(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an output with `VARIES_KEY` on each volatile field."""
    found: dict[str, Any] = _mark_node(schema)
    return found


def _mark_node(node: Any) -> Any:
    if isinstance(node, list):
        return [_mark_node(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _mark_node(value) for key, value in node.items()}
    fields = made.get("properties")
    if isinstance(fields, dict):
        for name in fields.keys() & VOLATILE_FIELDS.keys():
            fields[name] = {**fields[name], VARIES_KEY: VOLATILE_FIELDS[name]}
    return made
