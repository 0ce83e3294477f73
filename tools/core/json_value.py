"""Any JSON value, said strictly: a schema that names what it may be, where an empty one would allow everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Json: TypeAlias = Any
else:
    from typing_extensions import TypeAliasType  # what pydantic knows a recursive type by; Python has it from 3.12 on

    Json = TypeAliasType("Json", "bool | int | float | str | list[Json] | dict[str, Json] | None")

JSON_TYPES = ("array", "boolean", "null", "number", "object", "string")
"""The types that such a value may have, as JSON Schema calls them."""
