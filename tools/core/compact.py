"""Outputs that the host's model pays for by the token: what is null or at its default is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from .declaration import StrictModel

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema


class CompactModel(StrictModel):
    """The base of an output whose optional fields are absent from the JSON when they say nothing."""

    @model_serializer(mode="wrap")
    def _omit_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        fields = type(self).model_fields
        return {
            name: value
            for name, value in dumped.items()
            if fields[name].is_required() or (value is not None and getattr(self, name) != fields[name].default)
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema of what is really written: a custom serializer alone would hide the fields from it."""
        bare: Any = {key: value for key, value in core_schema.items() if key != "serialization"}
        schema = handler.resolve_ref_schema(handler(bare))
        schema["required"] = [name for name, field in cls.model_fields.items() if field.is_required()]
        for name, field in cls.model_fields.items():
            if not field.is_required():
                schema["properties"][name] = _drop_null_branch(schema["properties"][name])
        return schema


def _drop_null_branch(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an optional field that is absent rather than null or at its default."""
    told = {key: value for key, value in schema.items() if key != "default"}
    branches = [branch for branch in told.pop("anyOf", ()) if branch != {"type": "null"}]
    if len(branches) == 1:
        return {**branches[0], **told}
    return {**told, "anyOf": branches} if branches else told
