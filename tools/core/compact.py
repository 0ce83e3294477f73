"""Compact output model, without fields that are null or at their default.

They are omitted because the model pays for each token.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from .declaration import StrictModel

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema


class CompactModel(StrictModel):
    """Base of an output that omits optional fields without a value.

    They are absent from the JSON when they are null or at their default.
    """

    @model_serializer(mode="wrap")
    def _omit_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        defaults = _map_defaults(type(self))
        return {
            name: value
            for name, value in dumped.items()
            if name not in defaults or (value is not None and getattr(self, name) != defaults[name])
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema of the serialized output; a custom serializer alone would hide its fields."""
        bare: Any = {key: value for key, value in core_schema.items() if key != "serialization"}
        schema = handler.resolve_ref_schema(handler(bare))
        schema["required"] = [name for name, field in cls.model_fields.items() if field.is_required()]
        for name, field in cls.model_fields.items():
            if not field.is_required():
                schema["properties"][name] = _drop_null_branch(schema["properties"][name])
        return schema


@cache
def _map_defaults(model: type[CompactModel]) -> dict[str, Any]:
    """Map the optional fields to their defaults."""
    return {name: field.default for name, field in model.model_fields.items() if not field.is_required()}


def _drop_null_branch(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field that is absent instead of null or at its default."""
    described = {key: value for key, value in schema.items() if key != "default"}
    branches = [branch for branch in described.pop("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        return {**branches[0], **described}
    return {**described, "anyOf": branches} if branches else described
