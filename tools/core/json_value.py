"""Type of any JSON value, with a schema that lists its types; an empty schema would allow everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Json: TypeAlias = Any
else:
    from typing_extensions import TypeAliasType  # pydantic needs it for a recursive type; part of Python since 3.12

    Json = TypeAliasType("Json", "bool | int | float | str | list[Json] | dict[str, Json] | None")

JSON_TYPES = ("array", "boolean", "null", "number", "object", "string")
"""The types of such a value, in JSON Schema's terms."""
