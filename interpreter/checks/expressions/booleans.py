"""Check that `when` is a boolean: the whole, and each part that may become the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from . import alternatives, inference
from .domains import infer_nullness
from .shapes import Shape
from .types import infer_json_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tree import Tree

_TYPE_LABELS = {"array": "a list", "number": "a number", "object": "an object", "string": "a text"}
_REMEDIES = {
    "array": "ask for its length, as in `length(items) > `0``",
    "number": "compare it with a number, as in `length(items) > `0``",
    "object": "compare one of its fields",
    "string": "compare it with a text, as in `verdict == 'PASS'`",
}
_MINIMUM_KEYWORDS = {"array": "minItems", "object": "minProperties", "string": "minLength"}


def check_boolean_result(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report a part that gives a number, a text, a list or an object."""
    for part, before_and in _find_result_operands(tree):
        value = inference.infer_part(site, part)
        found = infer_json_types(value) - {"null"}
        if not found or "boolean" in found or not found <= set(_TYPE_LABELS):
            continue
        what = " or ".join(sorted(_TYPE_LABELS[one] for one in found))
        place = site.locate_span((0, len(site.text))) if part is tree else site.locate_parts(part)
        if before_and and not _can_be_empty(value, found):
            if infer_nullness(site, part) != "never":
                continue
            message = f"this part is {what}, which always counts as true; what stands after && decides alone"
            yield codes.CONSTANT_TEST.make_problem(place, message, help=_REMEDIES[min(found)])
            continue
        which = "this" if part is tree else "this part of it"
        help_ = alternatives.suggest_comparison(tree, part) or _REMEDIES[min(found)]
        yield codes.NOT_BOOLEAN.make_problem(place, f'"when" must be true or false, and {which} is {what}', help=help_)


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
    schema = (value.resolved() or {}) if isinstance(value, Shape) else {}
    if "const" in schema or schema.get("enum"):
        return any(not one and one is not None and one != 0 for one in (schema.get("enum") or [schema["const"]]))
    return any(not schema.get(_MINIMUM_KEYWORDS[one]) for one in found if one in _MINIMUM_KEYWORDS)
