"""JMESPath expressions: evaluation, explanation and unparsing."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .error import ExpressionError
    from .explain import ExpressionPart, collect_lookups, explain_expression, shorten_value
    from .jmespath import Expression, compile_expression, evaluate_expression, evaluate_tree
    from .meter import WorkLimitError, WorkMeter, charge_work, is_metering, stop_metering
    from .roots import find_field_names, find_root_names
    from .sizes import NODE_SIZE, measure_size

__all__ = [
    "NODE_SIZE",
    "Expression",
    "ExpressionError",
    "ExpressionPart",
    "WorkLimitError",
    "WorkMeter",
    "charge_work",
    "collect_lookups",
    "compile_expression",
    "evaluate_expression",
    "evaluate_tree",
    "explain_expression",
    "find_field_names",
    "find_root_names",
    "is_metering",
    "measure_size",
    "shorten_value",
    "stop_metering",
]

__getattr__ = export_lazily(
    __name__,
    {
        "explain": ["ExpressionPart", "collect_lookups", "explain_expression", "shorten_value"],
        "error": ["ExpressionError"],
        "jmespath": ["Expression", "compile_expression", "evaluate_expression", "evaluate_tree"],
        "meter": ["WorkLimitError", "WorkMeter", "charge_work", "is_metering", "stop_metering"],
        "roots": ["find_field_names", "find_root_names"],
        "sizes": ["NODE_SIZE", "measure_size"],
    },
)
