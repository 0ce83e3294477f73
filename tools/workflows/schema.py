"""workflow.schema: the JSON Schema of the language, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.interpreter.language import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
from aurora.tools.core import (
    Command,
    Example,
    Json,
    StrictModel,
    Tool,
)

if TYPE_CHECKING:
    from aurora.tools.core import Context


class SchemaInput(StrictModel):
    """Nothing to say."""


class SchemaOutput(StrictModel):
    """The schema, the name of the file that workflows look for it in, and the line by which they do."""

    file: str
    line: str
    document: dict[str, Json] = Field(description="The JSON Schema, draft 7.")


def show_schema(given: SchemaInput, context: Context) -> SchemaOutput:
    """Give the schema."""
    del given, context  # it is the same everywhere
    return SchemaOutput(file=SCHEMA_FILE, line=SCHEMA_MODELINE, document=build_language_schema())


TOOL = Tool(
    name="workflow.schema",
    title="Show the schema of workflows",
    description=(
        "The JSON Schema of the workflow language, by which an editor completes, explains and checks. Workflows name "
        "it in their first line; `aur workflow new` puts it beside them."
    ),
    input=SchemaInput,
    output=SchemaOutput,
    run=show_schema,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=10.0,
    examples=(Example("The schema", {}),),
    command=Command("workflow schema", "Print the JSON Schema of the workflow language."),
)
