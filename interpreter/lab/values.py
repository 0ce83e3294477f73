"""JSON values and schemas: compared constants, values at a path, and distances to a rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from aurora.interpreter.checks.expressions.shapes import Shape
from aurora.interpreter.checks.expressions.sites import walk_tree
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression, evaluate_tree
from aurora.interpreter.expressions.meter import charge_work, stop_metering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aurora.interpreter.checks.expressions.tokens import Tree
    from aurora.interpreter.language.model import Rule

MAX_LIST_LENGTH = 50
"""A number beyond this is not taken for the length of a list."""


@dataclass(frozen=True, slots=True)
class ComparedConstants:
    """The constants that expressions compare with.

    Attributes:
        texts, numbers: literals of these types.
        wholes: literals that are lists or objects.
        names: every field that an expression names.
    """

    texts: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()
    wholes: tuple[Any, ...] = ()
    names: frozenset[str] = frozenset()

    def list_lengths(self) -> tuple[int, ...]:
        """List the lengths below, at and above the numbers."""
        near = {int(one) + step for one in self.numbers for step in (-1, 0, 1)}
        return tuple(sorted(one for one in near if 0 <= one <= MAX_LIST_LENGTH))


NO_CONSTANTS = ComparedConstants()


def collect_constants(texts: Iterable[str]) -> ComparedConstants:
    """Collect the constants of these expressions; an invalid one has none."""
    found: list[Any] = []
    names: set[str] = set()
    for text in texts:
        literals, fields = _read_expression(text)
        found += literals
        names |= fields
    numbers = [one for one in found if isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one)]
    return ComparedConstants(
        texts=tuple(dict.fromkeys(one for one in found if isinstance(one, str))),
        numbers=tuple(sorted(set(numbers))),
        wholes=tuple(one for one in found if isinstance(one, list | dict)),
        names=frozenset(names),
    )


@lru_cache(maxsize=1024)
def _read_expression(text: str) -> tuple[tuple[Any, ...], frozenset[str]]:
    """Read the literals of an expression, and the fields that it names; none of an invalid one."""
    try:
        with stop_metering():
            nodes = list(walk_tree(compile_expression(text).parsed))
    except ExpressionError:
        return (), frozenset()
    literals = tuple(node["value"] for node in nodes if node["type"] == "literal")
    return literals, frozenset(node["value"] for node in nodes if node["type"] == "field")


_FAILURE_DISTANCE = 3.0
"""An expression that fails is further away than one that is merely false."""


def measure_distance(text: str, scope: Mapping[str, Any], *, wanted: bool) -> float:
    """Return 0 when the expression is as wanted; else more for each part to change."""
    try:
        return _measure_tree(compile_expression(text).parsed, scope, wanted=wanted)
    except ExpressionError:
        return _FAILURE_DISTANCE


def measure_rule_distance(rules: Sequence[Rule], index: int, scope: Mapping[str, Any]) -> float:
    """Measure how far the scope is from one in which this rule wins."""
    total = 0.0
    for number, rule in enumerate(rules[: index + 1]):
        if rule.when is not None:
            total += measure_distance(rule.when, scope, wanted=number == index)
        elif number < index:
            # A rule without a condition stands before it, and no value can make that one false.
            total += _FAILURE_DISTANCE
    return total


def _measure_tree(tree: Tree, scope: Mapping[str, Any], *, wanted: bool) -> float:
    kind, children = tree["type"], tree["children"]
    if kind == "not_expression":
        return _measure_tree(children[0], scope, wanted=not wanted)
    if kind in ("and_expression", "or_expression"):
        each = [_measure_tree(child, scope, wanted=wanted) for child in children]
        # For a true `&&`, and a false `||`, every part has to change; otherwise, the nearest one is enough.
        return sum(each) if (kind == "and_expression") is wanted else min(each)
    try:
        value = evaluate_tree(tree, scope)
    except ExpressionError:
        return _FAILURE_DISTANCE
    if value is wanted:
        return 0.0
    return _measure_gap(tree, scope) if kind == "comparator" else 1.0 if isinstance(value, bool) else 2.0


def _measure_gap(tree: Tree, scope: Mapping[str, Any]) -> float:
    """Return a distance from 0.5 to 1 that is smaller for numbers near each other."""
    left, right = (evaluate_tree(child, scope) for child in tree["children"])
    try:
        return float(1 - 0.5 / (1 + abs(left - right)))
    except (TypeError, ArithmeticError):  # values that are not numbers, or numbers beyond floats
        return 1.0


class _Absent:
    """The value of an absent property, which is not null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


def find_schema(schema: Any, path: Sequence[str]) -> Schema:
    """Find the schema at the path; an open one where it is unknown."""
    here = schema
    for name in path:
        here = _find_property(here, name)
    return here if isinstance(here, dict) else {}


def _find_property(schema: Any, name: str) -> Schema:
    if not isinstance(schema, dict):
        return {}
    found: Any = schema.get("properties", {}).get(name)
    if found is None:
        more = schema.get("additionalProperties")
        found = more if isinstance(more, dict) else {}
    for part in schema.get("allOf", ()):
        found = merge_schemas(found, _find_property(part, name))
    for key in ("anyOf", "oneOf"):
        inner = [_find_property(branch, name) for branch in schema.get(key, ())]
        if inner and all(inner):
            found = merge_schemas(found, {"anyOf": inner})
    return found if isinstance(found, dict) else {}


def is_required(schema: Schema, name: str) -> bool:
    """Return whether every object that fits has the name."""
    return name in schema.get("required", ()) or any(is_required(part, name) for part in schema.get("allOf", ()))


def set_value(value: Any, path: Sequence[str], new: Any) -> Any:
    """Set or remove the value at the path; missing objects on the way are created."""
    if not path:
        return None if new is ABSENT else new
    updated = dict(value) if isinstance(value, dict) else {}
    if len(path) == 1 and new is ABSENT:
        updated.pop(path[0], None)
        return updated
    if len(path) > 1 and new is ABSENT and not isinstance(updated.get(path[0]), dict):
        return updated
    updated[path[0]] = set_value(updated.get(path[0]), path[1:], new)
    return updated


Schema = dict[str, Any]


MAX_DEPTH = 12
"""The deepest nesting of a schema; below it, nothing fits."""


MAX_SCHEMAS = 5_000
"""The most schemas that a schema may grow to; a hostile one doubles at each reference."""


NOTHING_FITS: Schema = {"not": {}}
"""The replacement of omitted schemas: no value is generated for them."""


_LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")

_UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")

_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")

_SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas")

_SINGLE_SCHEMAS = ("items", "contains", "additionalProperties", "not", "if", "then", "else", "propertyNames")


def inline_references(schema: Any) -> Schema:
    """Replace each `$ref` by the schema that it refers to, down to a limit."""
    if schema is False:
        return NOTHING_FITS
    if not isinstance(schema, dict):
        return {}
    inliner = _ReferenceInliner(schema)
    inlined: Schema = inliner.inline(schema, 0)
    charge_work(_INLINING_WORK * inliner.count)
    return inlined


_INLINING_WORK = 5
"""Work of inlining a schema without those inside it, in steps of an evaluation."""


class _ReferenceInliner:
    """The state of inlining one schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._budget = MAX_SCHEMAS
        self._open_references: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of schemas that were inlined."""
        return MAX_SCHEMAS - self._budget

    def inline(self, schema: Any, depth: int) -> Any:
        self._budget -= 1
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        if depth > MAX_DEPTH or self._budget < 0:
            return NOTHING_FITS
        if "$ref" in schema:
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            inner = self._resolve_reference(str(schema["$ref"]), depth)
            return merge_schemas(inner, self.inline(beside, depth)) if beside else inner
        plain = {key: value for key, value in schema.items() if key not in ("$defs", "definitions", "$id", "$schema")}
        for key in (*_SCHEMA_LISTS, *_SCHEMA_MAPS, *_SINGLE_SCHEMAS):
            if key in plain:
                plain[key] = self._inline_keyword(key, plain[key], depth + 1)
        return plain

    def _inline_keyword(self, key: str, value: Any, depth: int) -> Any:
        """Inline the schemas that are the value of a keyword; leave a malformed value."""
        if key in _SCHEMA_LISTS and isinstance(value, list):
            return [self.inline(schema, depth) for schema in value]
        if key in _SCHEMA_MAPS and isinstance(value, dict):
            return {name: self.inline(schema, depth) for name, schema in value.items()}
        if key in _SINGLE_SCHEMAS and isinstance(value, dict):
            return self.inline(value, depth)
        return value

    def _resolve_reference(self, reference: str, depth: int) -> Any:
        """Resolve a reference; a schema inside itself is cut at its second level."""
        found = Shape({"$ref": reference}, self._root, "").resolve()
        if self._open_references[reference] > 1 or found is None:
            return NOTHING_FITS
        self._open_references[reference] += 1
        inner = self.inline(dict(found), depth + 1)
        self._open_references[reference] -= 1
        return inner


def merge_schemas(one: Any, other: Any) -> Any:
    """Merge two schemas into one for values that fit both; callers check the values."""
    if one is False or other is False:
        return False
    if not isinstance(one, dict) or not one:
        return other
    if not isinstance(other, dict) or not other:
        return one
    both = {**one, **other}
    for key in one.keys() & other.keys():
        both[key] = _merge_keyword(key, one[key], other[key])
    conflicts = [key for key in _EXCLUSIVE_KEYWORDS if key in one and key in other and one[key] != other[key]]
    both |= {key: one[key] for key in conflicts}
    both["allOf"] = [
        *one.get("allOf", ()),
        *other.get("allOf", ()),
        *(_select_keyword(key, other) for key in conflicts),
    ]
    return both if both["allOf"] else {key: value for key, value in both.items() if key != "allOf"}


_EXCLUSIVE_KEYWORDS = ("anyOf", "oneOf", "not", "if")
"""Keywords that cannot be merged: a second one goes into `allOf`."""


def _select_keyword(key: str, schema: Schema) -> Schema:
    """Return a schema of the keyword and those that belong to it."""
    group = ("if", "then", "else") if key == "if" else (key,)
    return {name: schema[name] for name in group if name in schema}


def _merge_keyword(key: str, one: Any, other: Any) -> Any:
    if key in _MERGERS:
        return _MERGERS[key](one, other)
    if key in _SCHEMA_MAPS:
        names = dict.fromkeys([*one, *other])
        return {name: merge_schemas(one.get(name, {}), other.get(name, {})) for name in names}
    return merge_schemas(one, other) if key in _SINGLE_SCHEMAS else one


def _intersect_types(one: Any, other: Any) -> Any:
    """Intersect two `type` values; an integer is a number."""
    left, right = ([said] if isinstance(said, str) else list(said) for said in (one, other))
    common = [kind for kind in left if kind in right]
    if "integer" not in common and {"integer", "number"} <= {*left, *right}:
        common.append("integer")
    return common[0] if len(common) == 1 else common


def _unite_lists(one: list[Any], other: list[Any]) -> list[Any]:
    return list(dict.fromkeys([*one, *other]))


def _intersect_lists(one: list[Any], other: list[Any]) -> list[Any]:
    """Intersect two lists; texts, of which long lists are, by their hash."""
    texts = {choice for choice in other if isinstance(choice, str)}
    rest = [choice for choice in other if not isinstance(choice, str)]
    return [choice for choice in one if (choice in texts if isinstance(choice, str) else choice in rest)]


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(_LOWER_BOUNDS, max),
    **dict.fromkeys(_UPPER_BOUNDS, min),
    "required": _unite_lists,
    "enum": _intersect_lists,
    "type": _intersect_types,
}
