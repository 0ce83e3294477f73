"""Manifest: the description of every tool, from which adapters and documents are generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora import __version__
from aurora.faults import (
    Code,
    quote_names,
)
from aurora.tools.core import (
    TOOLSETS,
    Family,
    Json,
    Risk,
    StrictModel,
    mark_volatile_fields,
)

from .manifest_errors import MEANINGS, ErrorEnvelope
from .manifest_schema import build_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.tools.core import Tool

    AnyTool = Tool[Any, Any]


class ManifestExample(StrictModel):
    """Example of a call; `params` are those of a phase that uses the tool."""

    title: str
    arguments: dict[str, Json]
    params: dict[str, Json]


class ManifestTool(StrictModel):
    """Tool with a stable name; `uses`, `mcp` and `command` are its names on the surfaces."""

    name: str
    uses: str = Field(description="Its name in a phase of a workflow.")
    mcp: str | None = Field(description="Its name over MCP; null if it is not offered there.")
    command: str | None = Field(description="Its command; null if it has none of its own.")
    aliases: tuple[str, ...]
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


def build_manifest(tools: Iterable[AnyTool]) -> Manifest:
    """Return the manifest of these tools, sorted by name; the same declarations give the same manifest."""
    return Manifest(
        version=__version__,
        toolsets=tuple(ManifestToolset(name=name, description=text) for name, text in TOOLSETS.items()),
        errors=tuple(ManifestError(code=code, meaning=text) for code, text in MEANINGS.items()),
        tools=tuple(describe_tool(tool) for tool in sorted(tools, key=lambda tool: tool.stable_name)),
    )


def describe_tool(tool: AnyTool) -> ManifestTool:
    """Return the manifest's description of a tool."""
    return ManifestTool(
        name=tool.stable_name,
        uses=tool.name,
        mcp=tool.mcp,
        command=f"aur {tool.command.words}" if tool.command else None,
        aliases=tool.aliases,
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


def format_manifest(manifest: Manifest) -> str:
    """Return the manifest as the text of a JSON file with one tool a line."""
    document = manifest.model_dump(mode="json")
    tools = ",\n".join(_to_compact_json(tool) for tool in document.pop("tools"))
    head = "".join(f"{_to_compact_json(key)}: {_to_compact_json(value)},\n" for key, value in document.items())
    return f'{{\n{head}"tools": [\n{tools}\n]\n}}\n'


def _to_compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
