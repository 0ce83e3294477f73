"""Validation of JSON values, and checks of JSON Schemas."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .json_values import MAX_DEPTH, Steps, find_excess, format_json_path, to_canonical_json
    from .lint import JSON_TYPES, find_schema_faults
    from .mismatch import Mismatch
    from .plain import fits_plain_schema, is_plain_part, is_plain_schema
    from .regex import compile_pattern, measure_pattern
    from .validate import find_faults, find_mismatches
    from .validator import compile_schema

__all__ = [
    "JSON_TYPES",
    "MAX_DEPTH",
    "Mismatch",
    "Steps",
    "compile_pattern",
    "compile_schema",
    "find_excess",
    "find_faults",
    "find_mismatches",
    "find_schema_faults",
    "fits_plain_schema",
    "format_json_path",
    "is_plain_part",
    "is_plain_schema",
    "measure_pattern",
    "to_canonical_json",
]

__getattr__ = export_lazily(
    __name__,
    {
        "json_values": ["MAX_DEPTH", "Steps", "find_excess", "format_json_path", "to_canonical_json"],
        "lint": ["JSON_TYPES", "find_schema_faults"],
        "mismatch": ["Mismatch"],
        "plain": ["fits_plain_schema", "is_plain_part", "is_plain_schema"],
        "regex": ["compile_pattern", "measure_pattern"],
        "validate": ["find_faults", "find_mismatches"],
        "validator": ["compile_schema"],
    },
)
