"""Generated values: schemas, constants of expressions, branch distance."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .constants import NO_CONSTANTS, ComparedConstants, collect_constants
    from .distance import measure_rule_distance
    from .generate import UnsatisfiableError, fit_alternative, generate_least_value, generate_values
    from .normalise import Schema, inline_references, merge_schemas
    from .set_path import ABSENT, find_schema, is_required, set_value

__all__ = [
    "ABSENT",
    "NO_CONSTANTS",
    "ComparedConstants",
    "Schema",
    "UnsatisfiableError",
    "collect_constants",
    "find_schema",
    "fit_alternative",
    "generate_least_value",
    "generate_values",
    "inline_references",
    "is_required",
    "measure_rule_distance",
    "merge_schemas",
    "set_value",
]

__getattr__ = export_lazily(
    __name__,
    {
        "constants": ["ComparedConstants", "NO_CONSTANTS", "collect_constants"],
        "distance": ["measure_rule_distance"],
        "generate": ["UnsatisfiableError", "fit_alternative", "generate_least_value", "generate_values"],
        "normalise": ["Schema", "inline_references", "merge_schemas"],
        "set_path": ["ABSENT", "find_schema", "is_required", "set_value"],
    },
)
