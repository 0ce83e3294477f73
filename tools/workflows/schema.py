"""`workflow.schema`: JSON Schema of the workflow language, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.interpreter.language.json_schema import SCHEMA_FILE, SCHEMA_MODELINE, build_language_schema
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
    """No input."""


class SchemaOutput(StrictModel):
    """JSON Schema, its file name, and the line with which a workflow refers to it."""

    file: str
    line: str
    document: dict[str, Json] = Field(description="The JSON Schema, draft 7.")


def show_schema(given: SchemaInput, context: Context) -> SchemaOutput:
    """Return the schema."""
    del given, context  # the schema is the same in every project
    return SchemaOutput(file=SCHEMA_FILE, line=SCHEMA_MODELINE, document=build_language_schema())


TOOL = Tool(
    name="workflow.schema",
    title="Show the workflow schema",
    description=(
        "Return the JSON Schema of the workflow language, with which an editor completes, explains and checks. "
        "Workflows name it in their first line; `aur workflow new` writes it next to them."
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
