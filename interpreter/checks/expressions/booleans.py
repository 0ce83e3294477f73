"""`when` must come out true or false: the whole of it, and each part that may become the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from . import alternatives, inference
from .domains import nullness
from .shapes import Shape
from .types import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems.problem import Problem

    from .shapes import Value
    from .sites import Site
    from .tree import Tree

_WORDS = {"array": "a list", "number": "a number", "object": "an object", "string": "a text"}
_REMEDIES = {
    "array": "ask for its length, as in `length(items) > `0``",
    "number": "compare it with a number, as in `length(items) > `0``",
    "object": "compare one of its fields",
    "string": "compare it with a text, as in `verdict == 'PASS'`",
}
_LEAST = {"array": "minItems", "object": "minProperties", "string": "minLength"}


def problems(site: Site, tree: Tree) -> Iterator[Problem]:
    """What gives a number, a text, a list or an object, where true or false is asked for."""
    for part, before_and in _parts(tree):
        value = inference.of(site, part)
        found = kinds(value) - {"null"}
        if not found or "boolean" in found or not found <= set(_WORDS):
            continue
        what = " or ".join(sorted(_WORDS[one] for one in found))
        place = site.place((0, len(site.text))) if part is tree else site.across(part)
        if before_and and not _may_be_empty(value, found):
            if nullness(site, part) != "never":
                continue
            message = f"this part is {what}, which always counts as true; what stands after && decides alone"
            yield codes.CONSTANT_TEST.at(place, message, help=_REMEDIES[min(found)])
            continue
        which = "this" if part is tree else "this part of it"
        help_ = alternatives.meant(tree, part) or _REMEDIES[min(found)]
        yield codes.NOT_BOOLEAN.at(place, f'"when" must be true or false, and {which} is {what}', help=help_)


def _parts(tree: Tree, *, before_and: bool = False) -> Iterator[tuple[Tree, bool]]:
    """The parts that `&&` and `||` may hand on as they are; whether the part is handed on only where it is empty."""
    if tree["type"] in ("and_expression", "or_expression"):
        left, right = tree["children"]
        yield from _parts(left, before_and=before_and or tree["type"] == "and_expression")
        yield from _parts(right, before_and=before_and)
    else:
        yield tree, before_and


def _may_be_empty(value: Value, found: frozenset[str]) -> bool:
    """Whether it may be one of the values that count as false; 0 counts as true."""
    schema = (value.resolved() or {}) if isinstance(value, Shape) else {}
    if "const" in schema or schema.get("enum"):
        return any(not one and one is not None and one != 0 for one in (schema.get("enum") or [schema["const"]]))
    return any(not schema.get(_LEAST[one]) for one in found if one in _LEAST)
