"""The least value that a JSON Schema accepts: what a host brings that only follows the schemas."""

from __future__ import annotations

from typing import Any

FALLBACK = {"string": "", "integer": 0, "number": 0, "boolean": False, "null": None}


def least(schema: Any, root: Any = None) -> Any:
    """A minimal instance; `root` is the document that local references point into."""
    root = schema if root is None else root
    if schema is True or not schema:
        return {}
    if "$ref" in schema:
        return least(_pointed(root, schema["$ref"]), root)
    fixed = [schema[key] for key in ("const", "default") if key in schema] + schema.get("enum", [])[:1]
    if fixed:
        return fixed[0]
    branches = schema.get("anyOf") or schema.get("oneOf")
    return least(branches[0], root) if branches else _of_type(schema, root)


def _of_type(schema: dict[str, Any], root: Any) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        names = [*schema.get("required", []), *list(properties)[: schema.get("minProperties", 0)]]
        return {name: least(properties.get(name, True), root) for name in names}
    if kind == "array":
        return [
            _numbered(least(schema.get("items", True), root), number) for number in range(schema.get("minItems", 0))
        ]
    if kind == "string":
        return "x" * max(1, schema.get("minLength", 1))
    if kind in {"integer", "number"}:
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return FALLBACK[kind]


def _numbered(value: Any, number: int) -> Any:
    """Items of a list differ in their id, as ids do."""
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        return {**value, "id": f"{value['id']}{number}"}
    return value


def _pointed(root: Any, pointer: str) -> Any:
    for part in pointer.removeprefix("#/").split("/"):
        root = root[part.replace("~1", "/").replace("~0", "~")]
    return root
