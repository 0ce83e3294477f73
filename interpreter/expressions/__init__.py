"""JMESPath expressions: evaluation, explanation and unparsing."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .explain import ExpressionPart, collect_lookups, explain_expression, shorten_value
    from .jmespath import ExpressionError, compile_expression, evaluate_expression

__all__ = [
    "ExpressionError",
    "ExpressionPart",
    "collect_lookups",
    "compile_expression",
    "evaluate_expression",
    "explain_expression",
    "shorten_value",
]

__getattr__ = export_lazily(
    __name__,
    {
        "explain": ["ExpressionPart", "collect_lookups", "explain_expression", "shorten_value"],
        "jmespath": ["ExpressionError", "compile_expression", "evaluate_expression"],
    },
)
