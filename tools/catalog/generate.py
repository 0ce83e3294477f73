"""tools.manifest, tools.adapters and tools.skill: what is made from the tools' declarations, and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.core.json_value import Json  # noqa: TC001 - pydantic reads it when the model is made
from aurora.tools.runtime.dispatch import toolbox

from .adapters import Format, bundle
from .manifest import Manifest, manifest
from .skill import skill_text

if TYPE_CHECKING:
    from aurora.tools.core.context import Context

    AnyTool = Tool[Any, Any]


class NothingSaid(Strict):
    """Nothing to say."""


class AdaptersInput(Strict):
    """For whom."""

    format: Format = Field(description="Whose shape: openai, anthropic, gemini or openapi.")


class AdaptersOutput(Strict):
    """The bundle as that interface takes it."""

    format: Format
    document: dict[str, Json]


class SkillOutput(Strict):
    """The document, and the file that an assistant reads it from."""

    file: str
    text: str


def whole(given: NothingSaid, context: Context) -> Manifest:
    """Describe every tool."""
    del given, context  # it is the same in every project
    return manifest(toolbox().all())


def adapters(given: AdaptersInput, context: Context) -> AdaptersOutput:
    """Put every tool into the shape of one interface."""
    del context  # as above
    return AdaptersOutput(format=given.format, document=bundle(given.format, manifest(toolbox().all())))


def skill(given: NothingSaid, context: Context) -> SkillOutput:
    """Write the skill."""
    del given, context  # as above
    return SkillOutput(file="aurora/SKILL.md", text=skill_text())


TOOLS: tuple[AnyTool, ...] = (
    Tool(
        name="tools.manifest",
        title="The manifest of all tools",
        description=(
            "Every capability of Aurora, described once for every interface: names, schemas of input, output and "
            "errors, examples, risk, time limit, constraints, aliases."
        ),
        input=NothingSaid,
        output=Manifest,
        run=whole,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("All of it", {}),),
        command=("tools", "manifest"),
    ),
    Tool(
        name="tools.adapters",
        title="The tools for another interface",
        description=(
            "Every tool in the shape that another interface takes: OpenAI's and Anthropic's tools, Gemini's function "
            "declarations, or an OpenAPI document. Made from the manifest."
        ),
        input=AdaptersInput,
        output=AdaptersOutput,
        run=adapters,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("For Anthropic's interface", {"format": "anthropic"}),),
        command=("tools", "adapters"),
    ),
    Tool(
        name="tools.skill",
        title="The skill for assistants",
        description=(
            "How an assistant uses Aurora, as a skill in the agentskills format: when to call which tool, and every "
            "tool with what it takes, gives and may do. `aur init` installs it."
        ),
        input=NothingSaid,
        output=SkillOutput,
        run=skill,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("The skill", {}),),
        command=("tools", "skill"),
    ),
)
