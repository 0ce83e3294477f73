"""JSON Schema of a model for the manifest: complete, without titles that repeat the names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

_NAME_MAPS = frozenset({"properties", "$defs"})
"""Keywords whose keys are names, one of which may be `title`."""


def build_schema(model: type[BaseModel], *, output: bool = False) -> dict[str, Any]:
    """Return the schema of a model as input, or as output."""
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
