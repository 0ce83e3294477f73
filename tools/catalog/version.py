"""Tool `version.show`: the versions of Aurora, of its formats, and of what runs it."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from aurora import __version__, memory
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .manifest import Manifest

if TYPE_CHECKING:
    from aurora.tools.core import Context


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


TOOL = Tool(
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
)
