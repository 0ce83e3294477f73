"""schema."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .lint import JSON_TYPES, Steps, find_schema_faults
    from .validate import find_excess, find_faults, find_mismatches, format_json_path, to_canonical_json

__all__ = [
    "JSON_TYPES",
    "Steps",
    "find_excess",
    "find_faults",
    "find_mismatches",
    "find_schema_faults",
    "format_json_path",
    "to_canonical_json",
]

__getattr__ = export_lazily(
    __name__,
    {
        "lint": ["JSON_TYPES", "Steps", "find_schema_faults"],
        "validate": ["find_excess", "find_faults", "find_mismatches", "format_json_path", "to_canonical_json"],
    },
)
