"""Tools `tools.manifest`, `tools.adapters` and `tools.skill`.

Each generates documents from the declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.tools.core import (
    Command,
    Example,
    Json,
    StrictModel,
    Switch,
    Tool,
)
from aurora.tools.runtime import get_registry

from .adapters import AdapterFormat, build_bundle
from .manifest import Manifest, build_manifest
from .skill import render_skill
from .skill_reference import REFERENCE_FILE, render_reference

if TYPE_CHECKING:
    from aurora.tools.core import Context

    AnyTool = Tool[Any, Any]


class NoInput(StrictModel):
    """No arguments."""


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


TOOLS: tuple[AnyTool, ...] = (
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
)
