"""Tools on the tools: the list, one tool, the manifest, adapters, the skill, and the versions."""

from __future__ import annotations

import json
import platform
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora import __version__, memory
from aurora.errors import Code, Fault, did_you_mean
from aurora.interpreter.run.ports import PhaseUse
from aurora.tools import extensions
from aurora.tools.core import Alias, Command, CompactModel, Example, Family, Json, Risk, StrictModel, Switch, Tool
from aurora.tools.runtime import get_registry

from .manifest import Manifest, ManifestTool, build_manifest, describe_tool
from .skill import REFERENCE_FILE, render_reference, render_skill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from aurora.tools.core import Context

    AnyTool = Tool[Any, Any]

ToolsetName = Literal["core", "graph", "knowledge", "workflow", "runs", "agents", "admin", "reasoning"]


class ListInput(StrictModel):
    """Filter of the list."""

    toolset: ToolsetName | None = Field(default=None, description="Only the tools of this family.")
    risk: Risk | None = Field(default=None, description="Only the tools of this risk.")


class ListedTool(CompactModel):
    """Summary of a tool."""

    name: str
    uses: str
    mcp: str | None
    command: str | None
    family: Family
    risk: Risk
    phase_use: PhaseUse = Field(description="Phases that may use it: `phases` of any workflow, of `jobs`, or `none`.")
    title: str
    aliases: tuple[str, ...]
    distribution: str = Field(default="", description="The installed distribution that has it; absent for Aurora's.")


class ListOutput(CompactModel):
    """Tools sorted by name, those of installed distributions last."""

    tools: tuple[ListedTool, ...]
    broken: tuple[str, ...] = Field(default=(), description="Tools of other packages that cannot be used, and why.")


class ShowInput(StrictModel):
    """Name of a tool."""

    name: str = Field(
        min_length=1, max_length=200, description="Its name, its name over MCP, an alias, or its command."
    )


def list_tools(given: ListInput, context: Context) -> ListOutput:
    """List the tools of Aurora and of installed distributions."""
    found = list(extensions.list_extensions(context.root))
    known = [(tool, "") for tool in get_registry().load_all()]
    known += [(tool, entry.distribution) for entry, tool in found if isinstance(tool, Tool)]
    return ListOutput(
        tools=tuple(
            _summarize_tool(tool, distribution)
            for tool, distribution in known
            if given.toolset in (None, tool.family) and given.risk in (None, tool.risk)
        ),
        broken=tuple(fault.message for _, fault in found if isinstance(fault, Fault)),
    )


def _summarize_tool(tool: AnyTool, distribution: str) -> ListedTool:
    return ListedTool(
        name=tool.stable_name,
        uses=tool.name,
        mcp=tool.mcp,
        command=f"aur {tool.command.words}" if tool.command else None,
        family=tool.family,
        risk=tool.risk,
        phase_use=tool.phase_use,
        title=tool.title,
        aliases=tool.alias_names,
        distribution=distribution,
    )


def show_tool(given: ShowInput, context: Context) -> ManifestTool:
    """Describe the tool with this name on any surface.

    Raises:
        Fault: NOT_FOUND, with the nearest name.
    """
    return describe_tool(find_tool(given.name, context.root))


def find_tool(name: str, root: Path | None = None) -> AnyTool:
    """Return the tool with this name: one of Aurora's, or one of an installed distribution.

    A name is `mem.search`, `mem_search`, `aurora_search`, `aur mem search`, or an alias.

    Args:
        name: the name.
        root: the project's folder, from which no distribution's code is loaded; None for Aurora's own tools alone.

    Raises:
        Fault: NOT_FOUND, with the nearest name; UPSTREAM_ERROR for a distribution's tool that cannot be used.
    """
    known = {called: tool for tool in get_registry().load_all() for called in _list_names(tool)}
    wanted = " ".join(name.split()).removeprefix("aur ")
    if wanted in known:
        return known[wanted]
    foreign = None if root is None else extensions.find_extension(wanted, root)
    if foreign is not None:
        return foreign
    meant = did_you_mean(wanted, known)
    raise Fault(
        Code.NOT_FOUND,
        f'there is no tool "{name[:80]}"' + (f"; {meant}" if meant else ""),
        help="`aur tools list` shows the tools.",
        details={"tool": name[:80], "choices": list(get_registry().names())},
    )


def _list_names(tool: AnyTool) -> Iterator[str]:
    yield tool.name
    yield tool.stable_name
    yield from tool.alias_names
    if tool.mcp:
        yield tool.mcp
    if tool.command:
        yield tool.command.words


class NoInput(StrictModel):
    """No arguments."""


AdapterFormat = Literal["openai", "anthropic", "gemini", "openapi"]


class AdaptersInput(StrictModel):
    """Format of the adapters."""

    format: AdapterFormat = Field(description="Format: openai, anthropic, gemini or openapi.")


class AdaptersOutput(StrictModel):
    """Tools in the format of one interface."""

    format: AdapterFormat
    document: dict[str, Json]


class SkillOutput(StrictModel):
    """Skill document, and the file from which an assistant reads it."""

    file: str
    text: str


def export_manifest(given: NoInput, context: Context) -> Manifest:
    """Describe every tool."""
    del given, context  # the same in every project
    return build_manifest(get_registry().load_all())


def export_adapters(given: AdaptersInput, context: Context) -> AdaptersOutput:
    """Convert every tool to the format of one interface."""
    del context  # as above
    return AdaptersOutput(
        format=given.format, document=build_bundle(given.format, build_manifest(get_registry().load_all()))
    )


def export_skill(given: NoInput, context: Context) -> SkillOutput:
    """Generate the skill."""
    del given, context  # as above
    return SkillOutput(file="aurora/SKILL.md", text=render_skill())


def export_reference(given: NoInput, context: Context) -> SkillOutput:
    """Generate the reference part of the skill."""
    del given, context  # as above
    return SkillOutput(file=REFERENCE_FILE, text=render_reference())


class VersionInput(StrictModel):
    """No arguments."""


class VersionOutput(StrictModel):
    """Versions; `manifest` is that of the manifest's format."""

    aurora: str
    manifest: int
    python: str
    sqlite: str


def show_version(given: VersionInput, context: Context) -> VersionOutput:
    """Show the versions."""
    del given, context  # the same in every project
    return VersionOutput(
        aurora=__version__,
        manifest=Manifest.model_fields["manifest"].default,
        python=platform.python_version(),
        sqlite=memory.get_engine_version(),
    )


HTTP_STATUS: Mapping[Code, int] = {
    Code.INVALID_INPUT: 400,
    Code.UNAUTHORIZED: 401,
    Code.FORBIDDEN: 403,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.RATE_LIMITED: 429,
    Code.WORKFLOW_ERROR: 500,
    Code.INTERNAL_ERROR: 500,
    Code.UPSTREAM_ERROR: 502,
    Code.TIMEOUT: 504,
}
"""Error code -> status of HTTP (RFC 9110; 429: RFC 6585)."""


_COMPONENTS = "#/components/schemas/"


def build_bundle(name: AdapterFormat, manifest: Manifest) -> dict[str, Any]:
    """Return the manifest in one of the formats, as JSON values."""
    return _ADAPTERS[name](manifest)


def _to_openai(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for OpenAI's chat completions, which many other servers accept."""
    # Not `strict`: that mode has no optional arguments, and tools do not accept null in their place.
    return {
        "tools": [
            {"type": "function", "function": {**_describe(tool, "parameters"), "strict": False}}
            for tool in manifest.tools
        ]
    }


def _to_anthropic(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Anthropic's messages."""
    return {"tools": [_describe(tool, "input_schema") for tool in manifest.tools]}


def _to_gemini(manifest: Manifest) -> dict[str, Any]:
    """Return `tools` for Gemini's generateContent, with JSON Schema instead of Gemini's own subset."""
    declarations = [_describe(tool, "parametersJsonSchema") for tool in manifest.tools]
    return {"tools": [{"functionDeclarations": declarations}]}


def _describe(tool: ManifestTool, schema_key: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, schema_key: tool.input_schema}


def _to_openapi(manifest: Manifest) -> dict[str, Any]:
    """Return an OpenAPI 3.1 document for an HTTP gateway, one path a tool."""
    schemas: dict[str, Any] = {}
    paths = {f"/tools/{tool.name}": {"post": _build_operation(tool, schemas)} for tool in manifest.tools}
    schemas["Error"] = _hoist_definitions(manifest.tools[0].error_schema, "Error", schemas)
    error = _to_json_content({"$ref": f"{_COMPONENTS}Error"})
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Aurora",
            "version": manifest.version,
            "description": "Aurora's tools as HTTP calls, for a gateway of your own; `aur mcp` itself serves MCP.",
        },
        "tags": [{"name": toolset.name, "description": toolset.description} for toolset in manifest.toolsets],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {
                one.code.value: {"description": f"{one.code.value}. {one.meaning}", "content": error}
                for one in manifest.errors
            },
        },
    }


def _build_operation(tool: ManifestTool, schemas: dict[str, Any]) -> dict[str, Any]:
    examples = {
        f"example_{number}": {"summary": one.title, "value": one.arguments}
        for number, one in enumerate(tool.examples, 1)
    }
    result = _to_json_content(_hoist_definitions(tool.output_schema, f"{tool.name}_result", schemas))
    return {
        "operationId": tool.name,
        "summary": tool.title,
        "description": "\n\n".join((tool.description, *tool.constraints)),
        "tags": [tool.family],
        "requestBody": {
            "required": True,
            "content": _to_json_content(
                _hoist_definitions(tool.input_schema, tool.name, schemas), {"examples": examples}
            ),
        },
        "responses": {
            "200": {"description": "The output of the tool.", "content": result},
            **{str(status): {"$ref": f"#/components/responses/{code.value}"} for code, status in HTTP_STATUS.items()},
        },
    }


def _to_json_content(schema: dict[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"application/json": {"schema": schema, **(more or {})}}


def _hoist_definitions(schema: Mapping[str, Any], owner: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Move the definitions of a schema to the document's components, named after their owner."""
    # A reference of an OpenAPI document begins at the document, so that `#/$defs/…` of a schema leads nowhere there.
    text = json.dumps(schema).replace('"#/$defs/', f'"{_COMPONENTS}{owner}_')
    hoisted: dict[str, Any] = json.loads(text.replace(f'"{_COMPONENTS}{owner}_Json"', f'"{_COMPONENTS}Json"'))
    for name, definition in hoisted.pop("$defs", {}).items():
        schemas[name if name == "Json" else f"{owner}_{name}"] = definition
    return hoisted


_ADAPTERS: Mapping[AdapterFormat, Callable[[Manifest], dict[str, Any]]] = {
    "openai": _to_openai,
    "anthropic": _to_anthropic,
    "gemini": _to_gemini,
    "openapi": _to_openapi,
}

TOOLS: tuple[AnyTool, ...] = (
    Tool(
        name="tools.list",
        title="List the tools",
        description=(
            "Every tool of Aurora in a line: its names for phases, over MCP and as a command, its toolset, its risk, "
            "the phases that may use it, and its aliases."
        ),
        input=ListInput,
        output=ListOutput,
        run=list_tools,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=10.0,
        examples=(Example("The tools of the code graph", {"toolset": "graph"}),),
        mcp="aurora_tools_list",
        command=Command("tools list", "List the tools."),
    ),
    Tool(
        name="tools.show",
        title="Show one tool",
        description=(
            "One tool of Aurora in detail: its input and output as JSON Schema, its examples, risk, timeout and "
            "constraints."
        ),
        input=ShowInput,
        output=ManifestTool,
        run=show_tool,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=10.0,
        examples=(Example("The search", {"name": "mem_search"}),),
        mcp="aurora_tools_show",
        command=Command("tools show", "Show one tool: its input, output, risk and examples.", arguments=("name",)),
    ),
    Tool(
        name="tools.manifest",
        title="The manifest of all tools",
        description=(
            "Every tool of Aurora, described for every interface: names, schemas of input, output and errors, "
            "examples, risk, timeout, constraints, aliases."
        ),
        input=NoInput,
        output=Manifest,
        run=export_manifest,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("All of it", {}),),
        command=Command("tools manifest", "Print the manifest of all tools as JSON."),
    ),
    Tool(
        name="tools.adapters",
        title="The tools for another interface",
        description=(
            "Every tool in the format of another interface: OpenAI's and Anthropic's tools, Gemini's function "
            "declarations, or an OpenAPI document. Generated from the manifest."
        ),
        input=AdaptersInput,
        output=AdaptersOutput,
        run=export_adapters,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("For Anthropic's interface", {"format": "anthropic"}),),
        command=Command(
            "tools adapters", "Print the tools for OpenAI, Anthropic, Gemini or OpenAPI.", arguments=("format",)
        ),
    ),
    Tool(
        name="tools.skill",
        title="The skill for assistants",
        description=(
            "Instructions for assistants as a skill in the agentskills format: when to call which of the three tools "
            "that the server offers by default. `aur init` installs it."
        ),
        input=NoInput,
        output=SkillOutput,
        run=export_skill,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("The skill", {}),),
        command=Command(
            "tools skill",
            "Print the skill that explains Aurora to assistants.",
            switches={"reference": Switch("tools.reference", "Print its reference part, with every tool.")},
        ),
    ),
    Tool(
        name="tools.reference",
        title="The reference part of the skill",
        description=(
            "Every tool of Aurora with its names, risk, inputs, outputs, constraints and examples, as a file beside "
            "the skill, which an assistant reads when it needs another tool than the three default ones."
        ),
        input=NoInput,
        output=SkillOutput,
        run=export_reference,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("All of it", {}),),
    ),
    Tool(
        name="version.show",
        title="Show the version",
        description="The version of Aurora, of the manifest's format, of Python and of SQLite.",
        input=VersionInput,
        output=VersionOutput,
        run=show_version,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=10.0,
        aliases=(Alias("ag_version"),),
        examples=(Example("The version", {}),),
        mcp="aurora_version",
        command=Command("version", "Show the versions of Aurora, Python and SQLite."),
    ),
)
