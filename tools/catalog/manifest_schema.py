"""A model's JSON Schema for whoever reads the manifest: whole, without the titles that only repeat the names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

_NAME_MAPS = frozenset({"properties", "$defs"})
"""The keys of these are names of the schema's own, and one of them may be `title`."""


def build_schema(model: type[BaseModel], *, output: bool = False) -> dict[str, Any]:
    """The schema of what the model takes, or of what it is written as."""
    schema = model.model_json_schema(mode="serialization" if output else "validation")
    bare: dict[str, Any] = _strip_titles(schema)
    return bare


def _strip_titles(node: Any, *, names: bool = False) -> Any:
    if isinstance(node, list):
        return [_strip_titles(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _strip_titles(value, names=key in _NAME_MAPS and not names)
        for key, value in node.items()
        if names or key != "title" or not isinstance(value, str)
    }
