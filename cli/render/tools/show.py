"""One tool whole: its names, what it may do, what it takes and gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the tool."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print(Text(f"{output['uses']}  {output['title']}", style="bold"), soft_wrap=True)
    console.print(output["description"])
    console.print()
    for name, value in _list_facts(output):
        console.print(Text.assemble((f"{name:<11}", "dim"), value), soft_wrap=True)
    for example in output["examples"]:
        told = json.dumps(example["arguments"], ensure_ascii=False)
        console.print(Text.assemble((f"{'example':<11}", "dim"), f"{told}  # {example['title']}"), soft_wrap=True)
    for name in ("input", "params", "output"):
        console.print(f"\n{name}", style="bold")
        for line in _list_fields(output[f"{name}_schema"]):
            console.print(Text(f"  {line}"), soft_wrap=True)
    console.print("\n--json shows the schemas whole.", style="dim")


def _list_facts(tool: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "command", tool["command"] or "none of its own"
    yield "over MCP", tool["mcp"] or "not offered"
    yield "aliases", ", ".join(tool["aliases"]) or "none"
    yield "family", tool["family"]
    yield "risk", f"{tool['risk']}, {'idempotent' if tool['idempotent'] else 'not idempotent'}"
    for sentence in tool["constraints"]:
        yield "holds", sentence


def _list_fields(schema: Mapping[str, Any]) -> Iterator[str]:
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        must = " (required)" if name in required else ""
        told = field.get("description", "")
        yield f"{name}: {_describe_type(field)}{must}" + (f"  {told}" if told else "")
    if not schema.get("properties"):
        yield "nothing"


def _describe_type(field: Mapping[str, Any]) -> str:
    """The type in a word: `string`, `list of string`, `one of a, b`."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(_describe_type(branch) for branch in field["anyOf"])
    if "enum" in field:
        return "one of " + ", ".join(str(one) for one in field["enum"])
    if field.get("type") == "array" and "items" in field:
        return f"list of {_describe_type(field['items'])}"
    return str(field.get("type", field.get("const", "value")))
