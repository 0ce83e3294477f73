"""Check that `when` is a boolean: the whole, and each part that may become the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from . import alternatives, inference
from .domains import infer_nullness
from .shapes import Shape
from .types import infer_json_types
from .wording import describe_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tree import Tree

_NON_BOOLEAN_TYPES = frozenset({"array", "number", "object", "string"})
_REMEDIES = {
    "array": "test its length, as in `length(items) > `0``",
    "number": "compare it with a number, as in `length(items) > `0``",
    "object": "compare one of its fields",
    "string": "compare it with a string, as in `verdict == 'PASS'`",
}
_MINIMUM_KEYWORDS = {"array": "minItems", "object": "minProperties", "string": "minLength"}


def check_boolean_result(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report a part that gives a number, a string, a list or an object."""
    for part, before_and in _find_result_operands(tree):
        value = inference.infer_part(site, part)
        found = infer_json_types(value) - {"null"}
        if not found or "boolean" in found or not found <= _NON_BOOLEAN_TYPES:
            continue
        types = describe_types(found)
        place = site.locate_span((0, len(site.text))) if part is tree else site.locate_parts(part)
        if before_and and not _can_be_empty(value, found):
            if infer_nullness(site, part) != "never":
                continue
            message = f"this part is {types}, which always counts as true; only the part after && decides"
            yield codes.CONSTANT_TEST.make_problem(place, message, help=_REMEDIES[min(found)])
            continue
        subject = "this" if part is tree else "this part of it"
        help_ = alternatives.suggest_comparison(tree, part) or _REMEDIES[min(found)]
        yield codes.NOT_BOOLEAN.make_problem(place, f'"when" must be a boolean, and {subject} is {types}', help=help_)


def _find_result_operands(tree: Tree, *, before_and: bool = False) -> Iterator[tuple[Tree, bool]]:
    """Find the operands that `&&` and `||` may return, and whether only when empty."""
    if tree["type"] in ("and_expression", "or_expression"):
        left, right = tree["children"]
        yield from _find_result_operands(left, before_and=before_and or tree["type"] == "and_expression")
        yield from _find_result_operands(right, before_and=before_and)
    else:
        yield tree, before_and


def _can_be_empty(value: InferredType, found: frozenset[str]) -> bool:
    """Return whether a value may count as false; 0 counts as true."""
    schema = (value.resolve() or {}) if isinstance(value, Shape) else {}
    if "const" in schema or schema.get("enum"):
        choices = schema.get("enum") or [schema["const"]]
        return any(choice in ("", [], {}) for choice in choices)
    keywords = [_MINIMUM_KEYWORDS[name] for name in found & _MINIMUM_KEYWORDS.keys()]
    return not all(schema.get(keyword) for keyword in keywords)
