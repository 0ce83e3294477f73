"""The manifest: every tool described once, exactly, for whatever is made from it."""

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
    """A call that works; `params` are the settings of a phase that uses the tool."""

    title: str
    arguments: dict[str, Json]
    params: dict[str, Json]


class ManifestTool(StrictModel):
    """One tool. Its name is stable; `uses`, `mcp` and `command` are what it is called where it appears."""

    name: str
    uses: str = Field(description="What a phase of a workflow calls it.")
    mcp: str | None = Field(description="What a host calls it; null where it is not offered over MCP.")
    command: str | None = Field(description="What a person types; null where it has no command of its own.")
    aliases: tuple[str, ...]
    title: str
    description: str
    family: Family = Field(description='Its toolset; "reasoning" is for phases alone.')
    risk: Risk = Field(description='"read" changes nothing, "write" adds, "high" may lose something.')
    idempotent: bool
    timeout_seconds: float
    constraints: tuple[str, ...]
    input_schema: dict[str, Json]
    output_schema: dict[str, Json]
    params_schema: dict[str, Json]
    error_schema: dict[str, Json]
    examples: tuple[ManifestExample, ...]


class ManifestToolset(StrictModel):
    """A family of tools that a host may ask for."""

    name: str
    description: str


class ManifestError(StrictModel):
    """One of the nine codes."""

    code: Code
    meaning: str


class Manifest(StrictModel):
    """Every tool of Aurora; the schemas are JSON Schema, draft 2020-12."""

    manifest: Literal[1] = 1
    name: Literal["aurora"] = "aurora"
    version: str
    toolsets: tuple[ManifestToolset, ...]
    errors: tuple[ManifestError, ...]
    tools: tuple[ManifestTool, ...]


def build_manifest(tools: Iterable[AnyTool]) -> Manifest:
    """The manifest of these tools, sorted by name; the same declarations always give the same."""
    return Manifest(
        version=__version__,
        toolsets=tuple(ManifestToolset(name=name, description=told) for name, told in TOOLSETS.items()),
        errors=tuple(ManifestError(code=code, meaning=told) for code, told in MEANINGS.items()),
        tools=tuple(describe_tool(tool) for tool in sorted(tools, key=lambda tool: tool.stable_name)),
    )


def describe_tool(tool: AnyTool) -> ManifestTool:
    """One tool as the manifest has it."""
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
    """The tool's own, then those that follow from its declaration."""
    yield from tool.constraints
    if tool.risk != "read":
        given = f", if {quote_names(tool.writes_with)} is given" if tool.writes_with else ""
        yield f"When read-only it answers FORBIDDEN and changes nothing{given}."
    yield f"Past {tool.timeout:g} s it answers TIMEOUT."


def format_manifest(manifest: Manifest) -> str:
    """Return the manifest as the text of a JSON file with one tool a line."""
    document = manifest.model_dump(mode="json")
    tools = ",\n".join(_to_compact_json(tool) for tool in document.pop("tools"))
    head = "".join(f"{_to_compact_json(key)}: {_to_compact_json(value)},\n" for key, value in document.items())
    return f'{{\n{head}"tools": [\n{tools}\n]\n}}\n'


def _to_compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
