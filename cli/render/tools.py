"""Views of the tools: the list, one tool, generated files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column

from .view import Blank, Cell, Each, Line, Passage, Raw, Table, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_RISK_STYLES = {"read": "green", "write": "yellow", "high": "red"}


def to_json_text(document: Mapping[str, Any]) -> str:
    """Return a JSON document as a file stores it: indented, plain ASCII, a newline at its end."""
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _describe_fields(schema: str) -> Callable[[Mapping[str, Any]], list[str]]:
    def describe(tool: Mapping[str, Any]) -> list[str]:
        fields = tool[schema].get("properties", {})
        required = set(tool[schema].get("required", ()))
        return [_describe_field(name, fields[name], is_required=name in required) for name in fields] or ["nothing"]

    return describe


def _describe_field(name: str, field: Mapping[str, Any], *, is_required: bool) -> str:
    mark = " (required)" if is_required else ""
    description = f"  {field['description']}" if field.get("description") else ""
    return f"{name}: {_describe_type(field)}{mark}{description}"


def _describe_type(field: Mapping[str, Any]) -> str:
    """Return the type in words: `string`, `list of string`, `one of a, b`."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(_describe_type(branch) for branch in field["anyOf"])
    if "enum" in field:
        return "one of " + ", ".join(str(one) for one in field["enum"])
    if field.get("type") == "array" and "items" in field:
        return f"list of {_describe_type(field['items'])}"
    return str(field.get("type", field.get("const", "value")))


_PHASE_USES = {"phases": "yes", "jobs": "jobs only", "none": "no"}


def _describe_phase_use(tool: Mapping[str, Any]) -> str:
    if tool["phases"]:
        return f"a phase may use it: `uses: {tool['uses']}`"
    return "only a job may use it" if tool["jobs"] else "no phase may use it"


def _describe_aliases(tool: Mapping[str, Any]) -> str:
    """Describe the aliases, each with its own names of arguments: `find_callers (methodName for name)`."""
    described = []
    for alias in tool["aliases"]:
        names = [f"{name} for {own}" for name, own in alias["arguments"].items()]
        names += [f"{name} changes nothing: {reason}" for name, reason in alias["unused"].items()]
        described.append(f"{alias['name']} ({'; '.join(names)})" if names else alias["name"])
    return ", ".join(described) or "none"


_GENERATED = View(
    Raw(lambda output: output["text"] if "text" in output else to_json_text(output.get("document", output)))
)

RENDERERS: Mapping[str, View] = {
    "tools.adapters": _GENERATED,
    "tools.manifest": _GENERATED,
    "tools.reference": _GENERATED,
    "tools.skill": _GENERATED,
    "tools.list": View(
        Table(
            "tools",
            Cell(Column("tool"), "{uses}", "bold"),
            Cell(Column("family", drop_order=3), "{family}"),
            Cell(Column("risk", drop_order=1), "{risk}", choose_style("risk", _RISK_STYLES)),
            Cell(Column("command", drop_order=2), "{command}"),
            Cell(Column("over MCP", drop_order=4), "{mcp}"),
            Cell(Column("phases", drop_order=5), lambda tool: _PHASE_USES[tool["phase_use"]]),
            Cell(Column("what it does", wraps=True), "{title}"),
            empty="no tool is of that family and that risk",
        ),
        Each("broken", Line(("{_}", "red"))),
    ),
    "tools.show": View(
        Line(("{uses}  {title}", "bold")),
        Passage("description", wraps=True),
        Blank(),
        Line(("command    ", "dim"), lambda tool: tool["command"] or f"none: {tool['no_command']}"),
        Line(("over MCP   ", "dim"), lambda tool: tool["mcp"] or f"not offered: {tool['not_over_mcp']}"),
        Line(("aliases    ", "dim"), _describe_aliases),
        Line(("family     ", "dim"), "{family}"),
        Line(("risk       ", "dim"), "{risk}, ", lambda tool: "idempotent" if tool["idempotent"] else "not idempotent"),
        Line(("phases     ", "dim"), _describe_phase_use),
        Each("constraints", Line(("holds      ", "dim"), "{_}")),
        Each("examples", Line(("example    ", "dim"), "{arguments:json}  # {title}")),
        *(
            block
            for name in ("input", "params", "output")
            for block in (Line((name, "bold"), apart=True), Each(_describe_fields(f"{name}_schema"), Line("  {_}")))
        ),
        Line(("--json shows the full schemas.", "dim"), apart=True),
    ),
}
